import { untilDeadline } from "@gadget/agent";
import { type CallId, RefusalError, type WorkOrder } from "@gadget/api";
import type { Outbox } from "../link/outbox.ts";
import type { Completion } from "../link/outbox-log.ts";
import type { Approvals } from "./approvals.ts";
import type { Questions } from "./questions.ts";
import { Receipt } from "./receipt.ts";
import type { Message, Turn } from "./turn.ts";
import { type TurnServices, TurnWork } from "./turn-work.ts";

/** After an abort everything ends within this time, or is left behind and named (A17). */
const abortDeadlineMs = 5_000;
const echoMs = 10;

/** One work order from its acceptance to its end, with the one controller that stops it (A9). */
export class RunningTurn implements Turn {
  readonly order: WorkOrder;
  readonly #controller = new AbortController();
  readonly #outbox: Outbox;
  readonly #services: TurnServices;
  readonly #receipt: Receipt;
  readonly #work: TurnWork;
  #end: "own" | "stop" | "hand-back" = "own";
  #settle = () => {};
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(order: WorkOrder, outbox: Outbox, services: TurnServices) {
    this.order = order;
    this.#outbox = outbox;
    this.#services = services;
    const receipt = new Receipt(services.clock, (level, code, text) =>
      outbox.push({ type: "notice", level, code, text }),
    );
    this.#receipt = receipt;
    this.#work = new TurnWork({ order, outbox, services, receipt, signal: this.signal });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get questions(): Questions {
    return this.#work.questions;
  }

  get approvals(): Approvals {
    return this.#work.approvals;
  }

  get delivered(): Promise<void> {
    return this.#outbox.over;
  }

  /** The signal first, then the word of it. */
  abort(): void {
    if (this.signal.aborted) {
      return;
    }
    this.#receipt.begin();
    this.#stopWork();
    // What settles at once says so together with its end: one write for the server, not two.
    this.#outbox.push({ type: "turn:changed", status: "aborting" }, echoMs);
  }

  kill(): void {
    this.#outbox.drop();
    this.#stopWork();
  }

  stop(): void {
    this.#end = "stop";
    this.#stopWork();
  }

  handBack(): void {
    if (this.signal.aborted) {
      return;
    }
    this.#end = "hand-back";
    this.#stopWork();
  }

  /** The one place where a turn's work is stopped. */
  #stopWork(): void {
    this.#controller.abort();
  }

  finish(): void {
    this.#work.conversation.finish();
    this.#outbox.push({ type: "turn:changed", status: "processing", waitingFor: "finishing" });
  }

  deliver({ messageId, text, mode, by }: Message): void {
    if (this.signal.aborted) {
      throw new RefusalError("not_running");
    }
    if (mode === "steer") {
      this.#work.conversation.steer({ messageId, text }, by);
    } else {
      this.#outbox.push({ type: "message:queued", messageId, text, by });
    }
  }

  cancelTool(callId: CallId): boolean {
    return this.#work.conversation.cancelTool(callId);
  }

  async run(): Promise<void> {
    const { signal } = this;
    const { clock } = this.#services;
    this.#outbox.push({ type: "turn:changed", status: "processing" });
    const limits = { signal, clock, deadlineMs: abortDeadlineMs };
    const failure = await untilDeadline(this.#work.run(), limits, () => {
      const text = "Something of this turn does not stop.";
      this.#outbox.push({ type: "notice", level: "warning", code: "abort", text });
      this.#receipt.leaveBehind();
      return undefined;
    });
    const completion = this.#completion(failure);
    this.#settle();
    if (this.#end === "stop") {
      this.#outbox.flush();
    } else {
      void this.#outbox.complete(completion);
    }
  }

  #completion(failure: string | undefined): Completion {
    this.#receipt.tellLeft();
    const stopped = this.#receipt.stopped();
    if (stopped !== undefined) {
      this.#outbox.push({ type: "turn:changed", status: "aborting", stopped });
      return { success: true, message: "aborted" };
    }
    if (this.#end === "hand-back") {
      return { success: false, message: handedBack };
    }
    return failure === undefined ? { success: true } : { success: false, message: failure };
  }
}

const handedBack =
  "The drone was stopped before the turn had ended. Continue it when a drone is there again.";
