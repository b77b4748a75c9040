import { deepestInput, type TurnEvent, withinDepth } from "@gadget/api";

const tooDeep = "The arguments were nested too deeply to be kept.";

/**
 * An event as it can be stored and shown. Arguments that are nested too deeply for a database, or
 * for anything recursive, are left out, and the turn says so.
 */
export function storableEvent(event: TurnEvent): TurnEvent {
  if (!("input" in event) || withinDepth(event.input, deepestInput)) {
    return event;
  }
  return event.type === "tool:end"
    ? { ...event, input: { leftOut: tooDeep } }
    : noticeInstead(event, tooDeep);
}

/** A notice with the numbers of an event that can't be stored. */
export function noticeInstead(
  { turnId, seq, fromSeq, epoch, at }: TurnEvent,
  text: string,
): TurnEvent {
  const head = { turnId, seq, ...(fromSeq !== undefined && { fromSeq }), epoch, at };
  return { ...head, type: "notice", level: "error", code: "event_left_out", text };
}
