import { safeCut } from "@gadget/ai";
import type { TurnEventBody } from "@gadget/api";

/** What two deltas must share to become one: their kind and their part. */
function streamOf(body: TurnEventBody): string | undefined {
  switch (body.type) {
    case "text:delta":
    case "reasoning:delta":
      return `${body.type} ${body.partId}`;
    case "tool:output":
      return `${body.type} ${body.callId}`;
    case "tool:input":
      return body.delta === undefined ? undefined : `${body.type} ${body.callId}`;
    default:
      return undefined;
  }
}

/** No delta grows beyond this: a message that is too large would cost the connection. */
const longestDelta = 32_000;

function textOf(body: TurnEventBody): string {
  if (body.type === "tool:input") {
    return body.delta ?? "";
  }
  return "text" in body ? body.text : "";
}

function withText(body: TurnEventBody, text: string): TurnEventBody {
  if (body.type === "tool:input") {
    return { ...body, delta: text };
  }
  return "text" in body ? { ...body, text } : body;
}

/**
 * Events that wait for their number. A delta joins an earlier one of the same part, unless
 * something else than deltas came in between: different parts' deltas may change places.
 */
export class WaitingEvents {
  #bodies: TurnEventBody[] = [];
  readonly #open = new Map<string, number>();

  add(body: TurnEventBody): void {
    const stream = streamOf(body);
    if (stream === undefined) {
      this.#open.clear();
      this.#bodies.push(body);
      return;
    }
    const index = this.#open.get(stream);
    const earlier = index === undefined ? undefined : this.#bodies[index];
    const text = (earlier === undefined ? "" : textOf(earlier)) + textOf(body);
    if (index !== undefined && text.length <= longestDelta) {
      this.#bodies[index] = withText(body, text);
      return;
    }
    const rest = textOf(body);
    let from = 0;
    do {
      const to = safeCut(rest, from + longestDelta);
      this.#open.set(stream, this.#bodies.length);
      this.#bodies.push(withText(body, rest.slice(from, to)));
      from = to;
    } while (from < rest.length);
  }

  /** Gives all of them, in order, and forgets them. */
  take(): TurnEventBody[] {
    const taken = this.#bodies;
    this.#bodies = [];
    this.#open.clear();
    return taken;
  }
}
