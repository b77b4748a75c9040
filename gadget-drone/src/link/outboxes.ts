import { join } from "node:path";
import type { Hello, HelloAnswer, TurnId, WorkOrder } from "@gadget/api";
import type { Clock } from "../clock.ts";
import type { Lease } from "./lease.ts";
import { Outbox, type OutboxLink } from "./outbox.ts";
import { diskLogs, type OutboxLogs } from "./outbox-log.ts";
import type { ServerTime } from "./server-time.ts";

export interface OutboxesOptions {
  dataDir: string;
  clock: Clock;
  lease: Lease;
  time: ServerTime;
  onError: (error: unknown) => void;
  /** Where they are kept; files of the data folder, unless said otherwise. */
  logs?: OutboxLogs;
}

type Running = Hello["running"];

/** The outboxes of all turns of this drone, and the tails that an earlier process left. */
export class Outboxes {
  readonly #options: OutboxesOptions;
  readonly #logs: OutboxLogs;
  readonly #live = new Map<TurnId, Outbox>();
  readonly #tails = new Map<TurnId, Outbox>();
  /** Taken and given up since the last hello, or by an earlier process. */
  readonly #begun = new Map<TurnId, { epoch: number; forget: () => void }>();
  #link: OutboxLink | undefined;
  #givenUp = () => {};

  constructor(options: OutboxesOptions) {
    this.#options = options;
    const { dataDir, onError } = options;
    this.#logs = options.logs ?? diskLogs(join(dataDir, "outbox"), onError);
  }

  /** Told of each turn that is given up; a later listener replaces this one. */
  onGivenUp(listener: () => void): void {
    this.#givenUp = listener;
  }

  /** A turn's lease has ended. */
  giveUp(): void {
    this.#givenUp();
  }

  /** To be called once, before the first hello. */
  async readTails(): Promise<void> {
    for (const tail of await this.#logs.tails()) {
      if (tail.events.length === 0 && tail.completion === undefined) {
        const log = this.#logs.open(tail);
        this.#begun.set(tail.turnId, { epoch: tail.epoch, forget: () => void log.remove() });
        continue;
      }
      const outbox = new Outbox(
        tail,
        {
          clock: this.#options.clock,
          log: this.#logs.open(tail),
          instant: () => this.#options.time.instant(),
          // The server holds the lease of these; its verdict came with the hello.
          mayWrite: () => true,
          onLost: () => {},
        },
        true,
      );
      this.#tails.set(tail.turnId, outbox);
      this.#forgetWhenOver(this.#tails, outbox);
    }
  }

  open(order: WorkOrder, onLost: () => void): Outbox {
    const { turnId, epoch, nextSeq, graceMs } = order;
    const turn = { turnId, epoch, nextSeq, events: [] };
    const outbox = new Outbox(turn, {
      clock: this.#options.clock,
      log: this.#logs.open(turn),
      instant: () => this.#options.time.instant(),
      mayWrite: () => this.#options.lease.isHeld(graceMs),
      onLost,
    });
    this.#live.set(turnId, outbox);
    this.#forgetWhenOver(this.#live, outbox);
    if (this.#link !== undefined) {
      outbox.connect(this.#link);
    }
    return outbox;
  }

  running(): Running {
    return listed(this.#live);
  }

  tails(): Running {
    return listed(this.#tails);
  }

  /** What the server must not hand out again, though it may have heard nothing of it. */
  begun(): NonNullable<Hello["begun"]> {
    const dropped = [...this.#live.values()].filter(({ isDropped }) => isDropped);
    return [
      ...dropped.map(({ turnId, epoch }) => ({ turnId, epoch })),
      ...[...this.#begun].map(([turnId, { epoch }]) => ({ turnId, epoch })),
    ];
  }

  /** What the server answered to the hello: where each turn's events go on, and which are lost. */
  connect(link: OutboxLink, hello: Hello, { turns }: HelloAnswer): void {
    const { running, tails = [], begun = [] } = hello;
    this.#link = link;
    for (const { turnId } of begun) {
      this.#begun.get(turnId)?.forget();
      this.#begun.delete(turnId);
    }
    const told = new Set([...running, ...tails].map(({ turnId }) => turnId));
    const byTurn = new Map(turns.map((verdict) => [verdict.turnId, verdict]));
    for (const outbox of [...this.#live.values(), ...this.#tails.values()]) {
      const verdict = byTurn.get(outbox.turnId);
      if (!told.has(outbox.turnId)) {
        outbox.connect(link);
      } else if (verdict === undefined || verdict.verdict === "kill") {
        outbox.drop();
      } else {
        outbox.connect(link, verdict.storedSeq);
      }
    }
  }

  disconnect(): void {
    this.#link = undefined;
    for (const outbox of [...this.#live.values(), ...this.#tails.values()]) {
      outbox.disconnect();
    }
  }

  /** Sends what has been said so far; for a process that is about to end. */
  flush(): void {
    for (const outbox of this.#live.values()) {
      outbox.flush();
    }
  }

  /** Resolves when the disk holds everything that the server has not acknowledged. */
  async written(): Promise<void> {
    await Promise.all([...this.#live.values()].map((outbox) => outbox.written()));
  }

  #forgetWhenOver(outboxes: Map<TurnId, Outbox>, outbox: Outbox): void {
    void outbox.over.then(() => {
      const { turnId, epoch, isDropped } = outbox;
      if (isDropped) {
        this.#begun.set(turnId, { epoch, forget: () => {} });
      }
      if (outboxes.get(outbox.turnId) === outbox) {
        outboxes.delete(outbox.turnId);
      }
    });
  }
}

function listed(outboxes: ReadonlyMap<TurnId, Outbox>): Running {
  const open = [...outboxes.values()].filter(({ isDropped }) => !isDropped);
  return open.map(({ turnId, epoch, lastSeq }) => ({ turnId, epoch, lastSeq }));
}
