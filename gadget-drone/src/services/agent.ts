import {
  type AbortAnswer,
  type ApprovalMode,
  abortMessages,
  type CallId,
  type CommandHandlers,
  RefusalError,
  type serverOrders,
  type TurnId,
  type WorkOrder,
} from "@gadget/api";
import type { Lease } from "../link/lease.ts";
import type { Outbox } from "../link/outbox.ts";
import type { Outboxes } from "../link/outboxes.ts";
import { RunningTurn } from "./running-turn.ts";
import { Tombstones } from "./tombstones.ts";
import type { Message, Turn } from "./turn.ts";
import type { TurnServices } from "./turn-work.ts";

export interface AgentServiceOptions extends TurnServices {
  capacity: number;
  lease: Lease;
  outboxes: Outboxes;
  /** Begins a turn; a simulation gives its own kind of work. */
  begin?: (order: WorkOrder, outbox: Outbox) => Turn;
}

type Orders = CommandHandlers<typeof serverOrders>;
type Given<Name extends keyof Orders> = Parameters<Orders[Name]>[0];

const done = {};
/** How long a drone that ends waits until the server knows of what it hands back. */
const tellMs = 6_000;

/** Runs work orders, several at once and one a session, and can stop each of them at any moment. */
export class AgentService {
  #isDraining = false;
  readonly #options: AgentServiceOptions;
  readonly #turns = new Map<TurnId, Turn>();
  readonly #tombstones: Tombstones;

  constructor(options: AgentServiceOptions) {
    this.#options = options;
    this.#tombstones = new Tombstones(options.clock);
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get running(): number {
    return this.#turns.size;
  }

  /** Takes the order or not, at once; the turn's controller is there when this returns (A6, A9). */
  processWorkOrder(order: WorkOrder): boolean {
    const { outboxes, capacity, lease, log } = this.#options;
    const { turnId, epoch, sessionId, graceMs } = order;
    const known = outboxes.running().find((other) => other.turnId === turnId);
    if (known !== undefined) {
      return known.epoch === epoch;
    }
    if (this.#tombstones.has(turnId) || this.#isDraining || this.running >= capacity) {
      return false;
    }
    // It lay in a connection that is as old as the lease: it would be given up at once.
    if (!lease.isHeld(graceMs)) {
      return false;
    }
    if ([...this.#turns.values()].some((turn) => turn.order.sessionId === sessionId)) {
      return false;
    }
    const outbox = outboxes.open(order, () => this.kill(turnId));
    const turn =
      this.#options.begin?.(order, outbox) ?? new RunningTurn(order, outbox, this.#options);
    this.#turns.set(turnId, turn);
    const stopWatching = lease.watch(graceMs, () => {
      log.warn({ turnId }, "The lease has ended: the turn is given up");
      outboxes.giveUp();
      this.kill(turnId);
    });
    void outbox.over.then(stopWatching);
    void this.#run(turn);
    return true;
  }

  /** The callback's words (A4). An abort is a normal end: it is told by `workOrderComplete` (A15). */
  abortWorkOrder(turnId: TurnId): AbortAnswer {
    const turn = this.#turns.get(turnId);
    this.#tombstones.add(turnId);
    if (turn === undefined) {
      return { success: false, message: abortMessages.notRunning };
    }
    if (turn.signal.aborted) {
      return { success: true, message: abortMessages.already };
    }
    turn.abort();
    return { success: true, message: abortMessages.signaled };
  }

  /** The lease is lost: the work ends and nothing more is written for it (A34). */
  kill(turnId: TurnId, epoch?: number): void {
    const turn = this.#turns.get(turnId);
    if (turn === undefined || (epoch !== undefined && turn.order.epoch > epoch)) {
      return;
    }
    this.#options.log.warn({ turnId }, "The turn is not ours any more");
    turn.kill();
  }

  finish(turnId: TurnId) {
    this.#turn(turnId).finish();
    return done;
  }

  deliver(message: Message) {
    this.#turn(message.turnId).deliver(message);
    return done;
  }

  answerQuestion({ turnId, questionId, answer, by }: Given<"answerQuestion">) {
    this.#turn(turnId, "closed").questions.answer(questionId, answer, by);
    return done;
  }

  answerApproval({ turnId, approvalId, ...given }: Given<"answerApproval">) {
    this.#turn(turnId, "closed").approvals.answer(approvalId, given);
    return done;
  }

  cancelTool(turnId: TurnId, callId: CallId) {
    if (!this.#turn(turnId).cancelTool(callId)) {
      throw new RefusalError("not_running", "This tool has ended already.");
    }
    return done;
  }

  setApproval(turnId: TurnId, mode: ApprovalMode) {
    this.#turn(turnId).approvals.mode = mode;
    return done;
  }

  /** Whether it takes no more orders; what runs goes on. */
  drain(on: boolean): void {
    this.#isDraining = on;
  }

  /** Takes no more orders, lets what runs come to its end, and hands back what does not in time. */
  async end(limitMs: number): Promise<void> {
    this.drain(true);
    const { clock } = this.#options;
    const turns = [...this.#turns.values()];
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(limitMs, () => {
        for (const turn of turns) {
          turn.handBack();
        }
        // A server that is away learns of it from what is on disk, by the next process.
        cancel = clock.after(tellMs, resolve);
      });
    });
    await Promise.race([Promise.all(turns.map((turn) => turn.delivered)), late]);
    cancel();
  }

  /** Ends all work at once. How the turns ended is not said: that is the server's word. */
  async stop(): Promise<void> {
    this.drain(true);
    const turns = [...this.#turns.values()];
    for (const turn of turns) {
      turn.stop();
    }
    await Promise.all(turns.map((turn) => turn.settled));
  }

  async #run(turn: Turn): Promise<void> {
    const { turnId } = turn.order;
    try {
      await turn.run();
    } finally {
      // Only its own: an order of the same name may have come meanwhile.
      if (this.#turns.get(turnId) === turn) {
        this.#turns.delete(turnId);
      }
    }
  }

  #turn(turnId: TurnId, otherwise: "not_running" | "closed" = "not_running"): Turn {
    const turn = this.#turns.get(turnId);
    if (turn === undefined) {
      throw new RefusalError(otherwise);
    }
    return turn;
  }
}
