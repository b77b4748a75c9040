import { useSyncExternalStore } from "react";
import { useServices } from "./services.ts";
import type { Lost } from "./socket.ts";

/** The lost connection to the server, once it has been lost for two seconds. */
export function useLost(): Lost | undefined {
  const { socket } = useServices();
  return useSyncExternalStore(
    (listener) => socket.onLost(listener),
    () => (socket.lost?.isLong ? socket.lost : undefined),
  );
}
