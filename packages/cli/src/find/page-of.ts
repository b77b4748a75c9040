import type { ChatTurn } from "@gadget/api";
import type { Client } from "../client.ts";

/** Where the page shows a turn. */
export function pageOf({ server }: Client, { sessionId }: ChatTurn): string {
  return `${server}/sessions/${sessionId}`;
}
