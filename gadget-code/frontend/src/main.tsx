import "./styles/app.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";
import { onSignedOut, request } from "./lib/api.ts";
import { Auth, AuthContext } from "./lib/auth.ts";
import { ServicesContext } from "./lib/services.ts";
import { openSocket } from "./lib/socket.ts";
import { createQueryClient } from "./lib/use-request.ts";
import { trustOwnScripts } from "./trust-own-scripts.ts";

trustOwnScripts();

const auth = new Auth(request);
onSignedOut(() => auth.expired());
void auth.refresh();

const queries = createQueryClient();
// What one person was shown is not kept for the next.
auth.store.subscribe(({ kind }) => {
  if (kind === "out") {
    queries.clear();
  }
});

const services = {
  request,
  // The server refuses the socket of somebody whom it no longer knows: ask who that is.
  socket: openSocket(() => void auth.refresh()),
};

const root = document.getElementById("root");
if (root === null) {
  throw new Error("index.html has no #root.");
}

createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <AuthContext value={auth}>
        <QueryClientProvider client={queries}>
          <App />
        </QueryClientProvider>
      </AuthContext>
    </ServicesContext>
  </StrictMode>,
);
