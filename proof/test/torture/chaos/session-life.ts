import { setTimeout as delay } from "node:timers/promises";
import {
  abortMessages,
  isSettled,
  newId,
  RefusalError,
  type SessionId,
  type TurnEvent,
  TurnId,
} from "@gadget/api";
import type { Stack } from "../../support/stack.ts";
import { TurnWatch } from "../../support/turn-watch.ts";
import type { PlannedModel } from "./planned-model.ts";
import { planTurn, type TurnPlan } from "./turn-plan.ts";

/** One turn as its person saw it. */
export interface LivedTurn {
  id: TurnId;
  plan: TurnPlan;
  prompt: string;
  folder: string;
  watch: TurnWatch;
  /** The server has said that it took the prompt. */
  taken: boolean;
  /** How long it took from the first try to its end, as its person saw it. */
  tookMs: number | undefined;
  /** When the drone had said that it has the signal. */
  signaledAt: number | undefined;
}

const againMs = 300;
/** A person who sees nothing happen presses Cancel once more. */
const pressAgainMs = 10_000;

/** A person at one session: prompts, aborts and answers, at whichever node answers. */
export class SessionLife {
  readonly turns: LivedTurn[] = [];
  readonly #stack: Stack;
  readonly #model: PlannedModel;
  readonly #index: number;
  readonly #random: () => number;
  readonly #sessionId: SessionId;
  readonly #folder: string;
  #node = 0;

  constructor(
    stack: Stack,
    model: PlannedModel,
    index: number,
    random: () => number,
    at: { sessionId: SessionId; folder: string },
  ) {
    this.#stack = stack;
    this.#model = model;
    this.#index = index;
    this.#random = random;
    this.#sessionId = at.sessionId;
    this.#folder = at.folder;
  }

  /** One turn after the other until the time is over, and the last one to its end. */
  async live(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isOver()) {
      const turn = this.#begin();
      const begun = performance.now();
      await this.#submit(turn, signal);
      const pressing = new AbortController();
      const until = AbortSignal.any([signal, pressing.signal]);
      const abort = this.#abort(turn, until).catch(() => {});
      const answer = this.#answer(turn, until).catch(() => {});
      try {
        await withSignal(turn.watch.ended, signal);
        turn.tookMs = performance.now() - begun;
      } finally {
        pressing.abort();
        await Promise.all([abort, answer]);
      }
      await delay(Math.floor(this.#random() * 300), undefined, { signal });
    }
  }

  #begin(): LivedTurn {
    const plan = planTurn(`s${this.#index}-${this.turns.length}`, this.#random);
    this.#model.add(plan);
    const id = newId(TurnId);
    const prompt = `Do as plan ${plan.key}. says`;
    const watch = new TurnWatch(() => this.#client(), id);
    const own = { id, plan, prompt, folder: this.#folder, watch };
    const turn: LivedTurn = { ...own, taken: false, tookMs: undefined, signaledAt: undefined };
    this.turns.push(turn);
    return turn;
  }

  /** Again and again with the same id: a retry is the same turn. */
  async #submit(turn: LivedTurn, signal: AbortSignal): Promise<void> {
    const { id: turnId, prompt } = turn;
    await this.#insist(signal, async () => {
      const params = { id: this.#sessionId };
      const body = { prompt, turnId };
      await this.#client().request("submitTurn", { params, body, signal: short(signal) });
      turn.taken = true;
      return true;
    });
  }

  async #abort(turn: LivedTurn, signal: AbortSignal): Promise<void> {
    const { abortAfterMs } = turn.plan;
    if (abortAfterMs === undefined) {
      return;
    }
    await delay(abortAfterMs, undefined, { signal });
    for (;;) {
      await this.#insist(signal, async () => {
        const params = { id: turn.id };
        const answer = await this.#client()
          .request("cancelTurn", { params, signal: short(signal) })
          .catch((error: unknown) => {
            if (error instanceof RefusalError && error.code === "not_running") {
              return undefined;
            }
            throw error;
          });
        if (answer?.message === abortMessages.signaled) {
          turn.signaledAt ??= Date.now();
        }
        return (
          answer === undefined || isSettled(answer.turn.status) || answer.message !== undefined
        );
      });
      await delay(pressAgainMs, undefined, { signal });
    }
  }

  async #answer(turn: LivedTurn, signal: AbortSignal): Promise<void> {
    const open = new Promise<TurnEvent & { type: "question:open" }>((resolve) => {
      turn.watch.onEvent((event) => event.type === "question:open" && resolve(event));
    });
    const asked = await withSignal(open, signal);
    await delay(turn.plan.answerAfterMs, undefined, { signal });
    if (turn.plan.abortAfterMs !== undefined) {
      return;
    }
    await this.#insist(signal, async () => {
      const params = { id: turn.id, questionId: asked.questionId };
      const body = { answer: "The left one." };
      await this.#client()
        .request("answerQuestion", { params, body, signal: short(signal) })
        .catch((error: unknown) => {
          if (error instanceof RefusalError && error.code === "closed") {
            return;
          }
          throw error;
        });
      return true;
    });
  }

  async #insist(signal: AbortSignal, attempt: () => Promise<boolean>): Promise<void> {
    while (!(await attempt().catch(() => false))) {
      await delay(againMs, undefined, { signal });
      this.#node += 1;
    }
  }

  #client() {
    return this.#stack.client((this.#index + this.#node) % this.#stack.nodes.length);
  }
}

/** A request to a node that is stopped is given up, as a browser would at some time. */
const short = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(5_000)]);

function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
