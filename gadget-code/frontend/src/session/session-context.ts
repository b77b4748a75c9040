import type { SessionId, TurnId } from "@gadget/api";
import { createContext, use, useEffect, useState } from "react";
import { useStore } from "zustand";
import { useServices } from "../lib/services.ts";
import { SessionActions } from "./session-actions.ts";
import { SessionFeed } from "./session-feed.ts";
import type { SessionState } from "./session-state.ts";
import type { TurnEntry } from "./turn-entry.ts";

export interface OpenSession {
  feed: SessionFeed;
  actions: SessionActions;
}

export const SessionContext = createContext<OpenSession | undefined>(undefined);

/** Opens a session for as long as the component is there. Give it a key: one session a mount. */
export function useOpenSession(sessionId: SessionId): OpenSession {
  const services = useServices();
  const [open] = useState<OpenSession>(() => {
    const feed = new SessionFeed(sessionId, services);
    return { feed, actions: new SessionActions(feed, services) };
  });
  useEffect(() => open.feed.open(), [open]);
  return open;
}

function useSessionContext(): OpenSession {
  const session = use(SessionContext);
  if (session === undefined) {
    throw new Error("There is no SessionContext above this component.");
  }
  return session;
}

export function useSessionActions(): SessionActions {
  return useSessionContext().actions;
}

export function useSessionFeed(): SessionFeed {
  return useSessionContext().feed;
}

export function useSession<Slice>(select: (state: SessionState) => Slice): Slice {
  return useStore(useSessionContext().feed.store, select);
}

export function useTurn(turnId: TurnId): TurnEntry | undefined {
  return useSession((state) => state.turns.get(turnId));
}
