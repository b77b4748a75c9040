import { RefusalError, type WorkOrder } from "@gadget/api";
import type { Outbox } from "../../../gadget-drone/src/link/outbox.ts";
import { Approvals } from "../../../gadget-drone/src/services/approvals.ts";
import { Questions } from "../../../gadget-drone/src/services/questions.ts";
import type { Turn } from "../../../gadget-drone/src/services/turn.ts";
import type { ProcessClock } from "./world-clock.ts";

/** How a turn would go if nobody disturbed it. */
export interface Script {
  steps: number;
  stepMs: number;
  fails: boolean;
  stoppingMs: number;
}

/** A turn's work as its drone sees it: it says something now and then, and stops when it is told. */
export class SimulatedTurn implements Turn {
  readonly order: WorkOrder;
  readonly questions: Questions;
  readonly approvals: Approvals;
  readonly startedAt: number;
  endedAt: number | undefined;
  /** Somebody's abort reached this very turn. */
  wasAborted = false;
  /** What it said of its end, where it could say so. */
  said: "finished" | "error" | "aborted" | undefined;
  readonly #outbox: Outbox;
  readonly #clock: ProcessClock;
  readonly #script: Script;
  readonly #controller = new AbortController();
  #settle = () => {};
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(order: WorkOrder, outbox: Outbox, clock: ProcessClock, script: Script) {
    this.order = order;
    this.#outbox = outbox;
    this.#clock = clock;
    this.#script = script;
    this.startedAt = clock.now();
    const emit = () => {};
    this.questions = new Questions(emit);
    const preview = () => Promise.resolve({});
    this.approvals = new Approvals({ mode: "auto", allowed: [], emit, preview });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get delivered(): Promise<void> {
    return this.#outbox.over;
  }

  get isRunning(): boolean {
    return this.endedAt === undefined && !this.#clock.isDead;
  }

  abort(): void {
    if (this.signal.aborted) {
      return;
    }
    this.wasAborted = true;
    this.#controller.abort();
    this.#outbox.push({ type: "turn:changed", status: "aborting" });
    this.#outbox.flush();
  }

  kill(): void {
    this.#outbox.drop();
    this.#controller.abort();
  }

  stop(): void {
    this.kill();
  }

  handBack(): void {
    this.kill();
  }

  finish(): void {}

  deliver(): void {
    throw new RefusalError("not_running");
  }

  cancelTool(): boolean {
    return false;
  }

  async run(): Promise<void> {
    const { steps, stepMs, fails, stoppingMs } = this.#script;
    const partId = `text-${this.order.epoch}`;
    let text = "";
    this.#outbox.push({ type: "turn:changed", status: "processing" });
    this.#outbox.push({ type: "text:start", partId });
    for (let step = 0; step < steps && !this.signal.aborted; step += 1) {
      await this.#wait(stepMs);
      if (this.signal.aborted) {
        break;
      }
      text += `${step} `;
      this.#outbox.push({ type: "text:delta", partId, text: `${step} ` });
    }
    if (this.signal.aborted) {
      await this.#clock.wait(stoppingMs);
    }
    this.#outbox.push({ type: "text:end", partId, text });
    this.endedAt = this.#clock.now();
    this.#settle();
    this.said = this.wasAborted ? "aborted" : fails ? "error" : "finished";
    if (this.wasAborted) {
      void this.#outbox.complete({ success: true, message: "aborted" });
    } else if (fails) {
      void this.#outbox.complete({ success: false, message: "It failed." });
    } else {
      void this.#outbox.complete({ success: true });
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.signal.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.#clock.after(ms, done);
      this.signal.addEventListener("abort", done, { once: true });
    });
  }
}
