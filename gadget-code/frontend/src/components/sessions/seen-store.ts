import type { ChatSession, SessionId } from "@gadget/api";
import { createStore } from "zustand/vanilla";

const key = "gadget.seen";
const most = 200;

type Seen = Record<string, string>;

function read(): Seen {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    if (typeof stored !== "object" || stored === null) {
      return {};
    }
    return Object.fromEntries(
      Object.entries(stored).filter(([, turn]) => typeof turn === "string"),
    );
  } catch {
    return {};
  }
}

/** The last turn that this browser has shown of each session. */
export const seenStore = createStore<{ seen: Seen }>()(() => ({ seen: read() }));

export function markSeen(sessionId: SessionId, turnId: string): void {
  const { [sessionId]: before, ...others } = seenStore.getState().seen;
  if (before === turnId) {
    return;
  }
  const seen = Object.fromEntries([...Object.entries(others).slice(1 - most), [sessionId, turnId]]);
  seenStore.setState({ seen });
  try {
    localStorage.setItem(key, JSON.stringify(seen));
  } catch {
    // Storage is off: what was seen is forgotten with the page.
  }
}

/** Something ended there while nobody looked. Sessions from before this browser's time are not new. */
export function isUnseen({ id, lastTurn }: ChatSession, seen: Seen): boolean {
  if (lastTurn?.status !== "finished" && lastTurn?.status !== "error") {
    return false;
  }
  return seen[id] !== undefined && seen[id] !== lastTurn.id;
}
