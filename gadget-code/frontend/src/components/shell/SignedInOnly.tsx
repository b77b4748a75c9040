import { useEffect } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { useStore } from "zustand";
import { UserContext, useAuth } from "../../lib/auth.ts";
import { useServices } from "../../lib/services.ts";
import { Button } from "../ui/Button.tsx";
import { FirstLook } from "../ui/FirstLook.tsx";
import { GatePage } from "./GatePage.tsx";

/** Nothing behind it is shown, and no socket is opened, before the server says who it is. */
export function SignedInOnly() {
  const auth = useAuth();
  const { socket } = useServices();
  const state = useStore(auth.store);
  const location = useLocation();
  const isIn = state.kind === "in";

  useEffect(() => {
    if (!isIn) {
      return;
    }
    socket.connect();
    return () => socket.close();
  }, [isIn, socket]);

  switch (state.kind) {
    case "asking":
      return <FirstLook />;
    case "unreachable":
      return (
        <GatePage title="The server can't be reached">
          <p className="mb-4 text-muted">{state.problem}</p>
          <Button tone="primary" onClick={() => void auth.refresh()}>
            Try again
          </Button>
        </GatePage>
      );
    case "out":
    case "unowned":
      return <Navigate to="/login" replace state={{ from: location.pathname }} />;
    case "in":
      return (
        <UserContext value={state.user}>
          <Outlet />
        </UserContext>
      );
  }
}
