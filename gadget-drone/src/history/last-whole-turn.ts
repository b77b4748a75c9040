import type { HistoryMessage, TurnId } from "@gadget/api";

/** The last turn all of whose messages are among the first `count`. */
export function lastWholeTurn(
  history: readonly HistoryMessage[],
  count: number,
): TurnId | undefined {
  for (let end = Math.min(count, history.length); end > 0; end -= 1) {
    const turnId = history[end - 1]?.turnId;
    if (turnId !== undefined && history[end]?.turnId !== turnId) {
      return turnId;
    }
  }
  return undefined;
}

/** Whether a turn's first message is there; where nobody says of which turn they are, a person's. */
export function beginsTurn(history: readonly HistoryMessage[], index: number): boolean {
  const message = history[index];
  if (message?.turnId === undefined) {
    return message?.role === "user";
  }
  return message.turnId !== history[index - 1]?.turnId;
}
