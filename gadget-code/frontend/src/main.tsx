import "./styles/app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";
import { onSignedOut, request } from "./lib/api.ts";
import { Auth, AuthContext } from "./lib/auth.ts";
import { ServicesContext } from "./lib/services.ts";
import { openSocket } from "./lib/socket.ts";

const auth = new Auth(request);
onSignedOut(() => auth.expired());
void auth.refresh();

const services = {
  request,
  // The server refuses the socket of somebody whom it no longer knows: ask who that is.
  socket: openSocket(() => void auth.refresh()),
};

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root.");

createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <AuthContext value={auth}>
        <App />
      </AuthContext>
    </ServicesContext>
  </StrictMode>,
);
