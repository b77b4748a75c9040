import {
  applyEvents,
  type ChatTurn,
  emptyTranscript,
  type Transcript,
  type TurnEvent,
  type TurnId,
} from "@gadget/api";
import type { Request } from "../lib/api.ts";
import type { Frames } from "./frame-queue.ts";

interface Holder {
  held(turnId: TurnId): Transcript | undefined;
  recovered(turn: ChatTurn, transcript: Transcript, fresh: boolean): void;
}

const firstRetryMs = 500;
const attempts = 6;

/** Fetches what is missing of a turn: one fetch a turn at a time, however many events wait. */
export class TurnRecovery {
  #request: Request;
  #frames: Frames;
  #holder: Holder;
  #busy = new Set<TurnId>();
  #timers = new Set<() => void>();
  #stopped = false;

  constructor(request: Request, frames: Frames, holder: Holder) {
    this.#request = request;
    this.#frames = frames;
    this.#holder = holder;
  }

  isBusy(turnId: TurnId): boolean {
    return this.#busy.has(turnId);
  }

  /** `fresh`: what is held was never stored, so the turn is read again from its beginning. */
  start(turnId: TurnId, { fresh }: { fresh: boolean }): void {
    if (this.#busy.has(turnId)) {
      return;
    }
    this.#stopped = false;
    this.#busy.add(turnId);
    void this.#run(turnId, fresh);
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#timers) {
      cancel();
    }
    this.#timers.clear();
    this.#busy.clear();
  }

  async #run(turnId: TurnId, fresh: boolean): Promise<void> {
    for (let attempt = 0; attempt < attempts && !this.#stopped; attempt += 1) {
      try {
        const base = (fresh ? undefined : this.#holder.held(turnId)) ?? emptyTranscript(turnId);
        const { turn } = await this.#request("getTurn", { params: { id: turnId } });
        const events = await this.#eventsAfter(turnId, base.lastSeq);
        const { transcript } = applyEvents(base, events);
        // What is missing may be on its way into the log: no hurry to ask for it again.
        if (transcript.lastSeq === base.lastSeq) {
          await this.#pause(firstRetryMs);
        }
        if (this.#stopped) {
          return;
        }
        this.#busy.delete(turnId);
        this.#holder.recovered(turn, transcript, fresh);
        return;
      } catch {
        await this.#pause(firstRetryMs * 2 ** attempt);
      }
    }
    // Given up for now: the next event or the next join starts again.
    this.#busy.delete(turnId);
  }

  async #eventsAfter(turnId: TurnId, after: number): Promise<TurnEvent[]> {
    const events: TurnEvent[] = [];
    let cursor: string | null = null;
    do {
      const query: { after: number; cursor?: string } = { after };
      if (cursor !== null) {
        query.cursor = cursor;
      }
      const page = await this.#request("listEvents", { params: { id: turnId }, query });
      events.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return events;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#frames.onTimer(() => {
        this.#timers.delete(cancel);
        resolve();
      }, ms);
      this.#timers.add(cancel);
    });
  }
}
