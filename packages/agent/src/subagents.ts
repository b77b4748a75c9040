import { randomUUID } from "node:crypto";
import type {
  AgentEnd,
  AgentEvent,
  ChildIdentity,
  Emit,
  LoopEnd,
  ToolOutcome,
} from "./agent-event.ts";
import type { ChildResult, Inbox } from "./inbox.ts";
import { Slots } from "./slots.ts";

export interface SubagentLimits {
  /** How deep children may have children; the turn's own agent is at 0. */
  depth: number;
  /** Children of one parent that run at the same time. */
  atOnce: number;
  slotWaitMs: number;
  timeoutMs: number;
  /** Background results of one parent that wait for its next model call, running ones included. */
  undelivered: number;
  /** Messages of a child's history that are sent to the model. */
  messages: number;
  steps: number;
}

export const subagentLimits: SubagentLimits = {
  depth: 3,
  atOnce: 5,
  slotWaitMs: 30_000,
  timeoutMs: 300_000,
  undelivered: 16,
  messages: 50,
  steps: 50,
};

export interface ChildTask {
  title: string;
  task: string;
  /** Goes on when its parent finishes up. */
  critical: boolean;
  /** Names of the tools that it may use; all that children may use, if not given. */
  tools?: readonly string[] | undefined;
}

/** What a parent needs of a running child. */
interface ChildRun {
  run(): Promise<AgentEnd>;
  stopAtNextStep(): void;
  cancelTool(callId: string, agentId?: string): boolean;
  result(): { outcome: ToolOutcome; text: string };
}

interface Parent {
  agentId: string;
  depth: number;
  signal: AbortSignal;
  inbox: Inbox;
  emit: Emit;
  makeChild: (
    child: ChildIdentity,
    task: ChildTask,
    own: { signal: AbortSignal; emit: Emit },
  ) => ChildRun;
}

interface Child {
  run: ChildRun;
  critical: boolean;
  stop: AbortController;
}

/** The children of one agent: their places, their time, their results, their end. */
export class Subagents {
  readonly #parent: Parent;
  readonly #limits: SubagentLimits;
  readonly #slots: Slots;
  readonly #children = new Set<Child>();
  readonly #background = new Set<Promise<void>>();
  /** Background children that wait for a slot. */
  #starting = 0;
  #finishing = false;
  #parentEnded: string | undefined;

  constructor(parent: Parent, limits: SubagentLimits) {
    this.#parent = parent;
    this.#limits = limits;
    this.#slots = new Slots(limits.atOnce);
  }

  /** Runs a child to its end. Never rejects: how it ended is the result. */
  async run(task: ChildTask, signal: AbortSignal): Promise<ChildResult> {
    const child = this.#identify();
    const refusal = await this.#takeSlot(signal);
    if (refusal) {
      return { ...child, title: task.title, ...refusal };
    }
    return this.#runInSlot(child, task, signal);
  }

  /** Runs children at the same time; the first failure aborts the others, every result is kept. */
  async runGroup(tasks: readonly ChildTask[], signal: AbortSignal): Promise<ChildResult[]> {
    const group = new AbortController();
    const linked = AbortSignal.any([signal, group.signal]);
    const branches = tasks.map(async (task) => {
      const result = await this.run(task, linked);
      if (result.outcome === "failed") {
        group.abort();
      }
      return result;
    });
    return Promise.all(branches);
  }

  /** Starts a child that outlives the call; its result comes before a later model call. */
  async startInBackground(
    task: ChildTask,
    callSignal: AbortSignal,
  ): Promise<{ ok: true; childId: string } | { ok: false; reason: string }> {
    const { undelivered } = this.#limits;
    const expected = this.#parent.inbox.undelivered + this.#background.size + this.#starting;
    if (expected >= undelivered) {
      const reason = `${undelivered} subagents in the background have not delivered their results yet.`;
      return { ok: false, reason };
    }
    const child = this.#identify();
    this.#starting += 1;
    const refusal = await this.#takeSlot(callSignal);
    this.#starting -= 1;
    if (refusal) {
      return { ok: false, reason: refusal.text };
    }
    const running = this.#runInSlot(child, task, this.#parent.signal).then(async (result) => {
      await this.#deliver(result);
      this.#background.delete(running);
    });
    // What breaks is thrown where the parent waits for its children.
    running.catch(() => {});
    this.#background.add(running);
    return { ok: true, childId: child.childId };
  }

  /** The parent finishes up: children end at their next step, critical ones go on. */
  finish(): void {
    this.#finishing = true;
    for (const { run, critical } of this.#children) {
      if (!critical) {
        run.stopAtNextStep();
      }
    }
  }

  cancelTool(callId: string, agentId?: string): boolean {
    return [...this.#children].some(({ run }) => run.cancelTool(callId, agentId));
  }

  /** The parent's loop is over: waits for the children, and shows what came too late for it. */
  async conclude(end: LoopEnd = { reason: "aborted" }): Promise<void> {
    const { inbox, signal, emit } = this.#parent;
    this.#parentEnded = endTexts[end.reason];
    for (const result of inbox.takeResults()) {
      await this.#deliver(result);
    }
    const goOn = end.reason === "finished" || end.reason === "stopped";
    if (!goOn) {
      for (const { stop } of this.#children) {
        stop.abort();
      }
    }
    const children = this.#background.size;
    if (children > 0 && !signal.aborted) {
      await emit({ type: "finishing", children });
    }
    await Promise.all(this.#background);
  }

  #identify(): ChildIdentity {
    const { agentId, depth } = this.#parent;
    return { childId: `agent-${randomUUID().slice(0, 8)}`, parentId: agentId, depth: depth + 1 };
  }

  async #takeSlot(
    signal: AbortSignal,
  ): Promise<{ outcome: ToolOutcome; text: string } | undefined> {
    const slot = await this.#slots.take(signal, this.#limits.slotWaitMs);
    if (slot === "taken") {
      return undefined;
    }
    if (slot === "aborted") {
      return { outcome: "never_started", text: "It was aborted before it began." };
    }
    const { atOnce, slotWaitMs } = this.#limits;
    const text = `${atOnce} subagents are running, and none of them ended within ${slotWaitMs / 1000} s. It never began.`;
    return { outcome: "failed", text };
  }

  async #runInSlot(
    child: ChildIdentity,
    task: ChildTask,
    signal: AbortSignal,
  ): Promise<ChildResult> {
    const { title, critical } = task;
    const { emit } = this.#parent;
    const stop = new AbortController();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      stop.abort();
    }, this.#limits.timeoutMs);
    const run = this.#parent.makeChild(child, task, {
      signal: AbortSignal.any([signal, stop.signal]),
      emit: (event) => this.#forward(child.childId, event),
    });
    const entry = { run, critical, stop };
    this.#children.add(entry);
    if (this.#finishing && !critical) {
      run.stopAtNextStep();
    }
    await emit({ type: "subagent:start", ...child, title, critical });
    let result: { outcome: ToolOutcome; text: string };
    try {
      await run.run();
      result = run.result();
    } catch (error) {
      result = { outcome: "failed", text: error instanceof Error ? error.message : String(error) };
    }
    clearTimeout(timer);
    this.#children.delete(entry);
    if (timedOut && !signal.aborted) {
      const limit = `It was stopped at its time limit of ${this.#limits.timeoutMs / 1000} s.`;
      result = { outcome: "failed", text: `${limit}\n${result.text}` };
    }
    // The slot is free before anybody learns of the result, who might start the next child.
    this.#slots.release();
    await emit({ type: "subagent:end", ...child, ...result });
    return { ...child, title, ...result };
  }

  #forward(childId: string, event: AgentEvent): void | Promise<void> {
    const own = event.type.startsWith("subagent:");
    return this.#parent.emit(own ? event : { type: "subagent:event", childId, event });
  }

  async #deliver(result: ChildResult): Promise<void> {
    const { title: _, outcome, ...orphan } = result;
    if (this.#parentEnded === undefined) {
      this.#parent.inbox.deliver(result);
    } else if (outcome === "finished" || outcome === "failed") {
      await this.#parent.emit({ type: "subagent:orphan", ...orphan, reason: this.#parentEnded });
    }
  }
}

const endTexts: Record<LoopEnd["reason"], string> = {
  finished: "Its parent had ended before the result came.",
  stopped: "Its parent was told to finish before the result came.",
  aborted: "The turn was aborted before the result was delivered.",
  failed: "Its parent failed before the result was delivered.",
};
