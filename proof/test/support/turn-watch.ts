import { setTimeout as delay } from "node:timers/promises";
import {
  applyEvent,
  coverStart,
  emptyTranscript,
  isTerminal,
  type Transcript,
  type TurnEvent,
  type TurnId,
} from "@gadget/api";
import type { Client } from "../../../packages/cli/src/client.ts";
import { EventSource } from "../../../packages/cli/src/follow/event-source.ts";

/** A browser's view of one turn: every event as it came, across lost connections. */
export class TurnWatch {
  readonly turnId: TurnId;
  readonly seen: { event: TurnEvent; at: number }[] = [];
  /** Numbers that came twice or were left out, or an event after the terminal one. */
  readonly faults: string[] = [];
  /** How many events it had shown that the end took back. */
  takenBack = 0;
  /** Resolves with the moment at which the terminal event came. */
  readonly ended: Promise<number>;
  readonly #client: () => Client;
  readonly #leave = new AbortController();
  #onEvent: (event: TurnEvent) => void = () => {};

  constructor(client: () => Client, turnId: TurnId) {
    this.#client = client;
    this.turnId = turnId;
    this.ended = this.#follow();
    this.ended.catch(() => {});
  }

  get events(): TurnEvent[] {
    return this.seen.map(({ event }) => event);
  }

  get lastSeq(): number {
    return this.seen.at(-1)?.event.seq ?? 0;
  }

  /** The text that it has shown. */
  get text(): string {
    return textOf(transcriptOf(this.turnId, this.events));
  }

  close(): void {
    this.#leave.abort();
  }

  onEvent(listener: (event: TurnEvent) => void): void {
    this.#onEvent = listener;
    for (const { event } of this.seen) {
      listener(event);
    }
  }

  async #follow(): Promise<number> {
    const { signal } = this.#leave;
    for (;;) {
      try {
        const response = await this.#client().openEvents(this.turnId, this.lastSeq, signal);
        const source = new EventSource();
        const decoder = new TextDecoder();
        for await (const bytes of response.body ?? []) {
          const at = performance.now();
          for (const event of source.push(decoder.decode(bytes, { stream: true }))) {
            this.#take(event, at);
          }
        }
      } catch {
        signal.throwIfAborted();
      }
      const last = this.seen.at(-1);
      if (last !== undefined && isTerminal(last.event)) {
        return last.at;
      }
      await delay(50, undefined, { signal });
    }
  }

  #take(event: TurnEvent, at: number): void {
    const last = this.seen.at(-1)?.event;
    if (last !== undefined && isTerminal(last)) {
      this.faults.push(`${event.type} ${event.seq} came after the end at ${last.seq}`);
    } else if (isTerminal(event) && event.seq <= this.lastSeq) {
      // The tail of a drone that was given up is taken back.
      while (this.lastSeq >= event.seq) {
        this.seen.pop();
        this.takenBack += 1;
      }
    } else if (coverStart(event) !== this.lastSeq + 1) {
      this.faults.push(`${event.type} ${coverStart(event)}-${event.seq} after ${this.lastSeq}`);
    }
    this.seen.push({ event, at });
    this.#onEvent(event);
  }
}

export function transcriptOf(turnId: TurnId, events: readonly TurnEvent[]): Transcript {
  let transcript = emptyTranscript(turnId);
  for (const event of events) {
    transcript = applyEvent(transcript, event).transcript;
  }
  return transcript;
}

export function textOf({ parts }: Transcript): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}
