import { TurnEvent } from "@gadget/api";

/**
 * Reads the text of an event stream, in whatever pieces it comes, into a turn's events. Kinds of
 * events that this version does not know are left out, as the protocol allows.
 */
export class EventSource {
  #rest = "";

  push(piece: string): TurnEvent[] {
    const blocks = (this.#rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => {
      const data = block
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).replace(/^ /, ""));
      const event = eventOf(data.join("\n"));
      return event === undefined ? [] : [event];
    });
  }
}

function eventOf(data: string): TurnEvent | undefined {
  try {
    return TurnEvent.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
}
