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

function joined(first: TurnEventBody, second: TurnEventBody): TurnEventBody | undefined {
  if (first.type === "tool:input" && second.type === "tool:input") {
    return { ...first, delta: (first.delta ?? "") + (second.delta ?? "") };
  }
  if ("text" in first && "text" in second) {
    return { ...first, text: first.text + second.text };
  }
  return undefined;
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
    const both = earlier === undefined ? undefined : joined(earlier, body);
    if (both !== undefined && index !== undefined) {
      this.#bodies[index] = both;
    } else {
      this.#open.set(stream, this.#bodies.length);
      this.#bodies.push(body);
    }
  }

  /** Gives all of them, in order, and forgets them. */
  take(): TurnEventBody[] {
    const taken = this.#bodies;
    this.#bodies = [];
    this.#open.clear();
    return taken;
  }
}
