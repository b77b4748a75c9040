import { setTimeout as delay } from "node:timers/promises";
import { unlessAborted } from "@gadget/agent";
import { type HistoryMessage, type HistoryPage, RefusalError } from "@gadget/api";

/** Asks the server for an older page. */
export type GetHistory = (cursor: string) => Promise<HistoryPage>;

const mostPages = 20;

/** All of the conversation: what the order carried, and the older pages, over lost connections. */
export async function readHistory(
  first: HistoryPage,
  getHistory: GetHistory,
  signal: AbortSignal,
): Promise<HistoryMessage[]> {
  let { messages, cursor } = first;
  for (let page = 1; cursor !== null && page < mostPages; page++) {
    const older = await patiently(() => getHistory(cursor ?? ""), signal);
    messages = [...older.messages, ...messages];
    ({ cursor } = older);
  }
  return messages;
}

async function patiently(ask: () => Promise<HistoryPage>, signal: AbortSignal) {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await unlessAborted(ask(), signal);
    } catch (error) {
      if (!(error instanceof RefusalError) || error.code !== "unavailable") {
        throw error;
      }
      await delay(1_000, undefined, { signal });
    }
  }
}
