import { useSyncExternalStore } from "react";
import { useServices } from "./services.ts";
import type { Link } from "./socket.ts";

export function useLink(): Link {
  const { socket } = useServices();
  return useSyncExternalStore(
    (listener) => socket.onLink(listener),
    () => socket.link,
  );
}
