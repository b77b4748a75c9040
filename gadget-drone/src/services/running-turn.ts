import { AgentRun, type CallRequest } from "@gadget/agent";
import type { AiProvider } from "@gadget/ai";
import type {
  CallId,
  FileChange,
  MessageId,
  MessageMode,
  Person,
  TurnEventBody,
  WorkOrder,
} from "@gadget/api";
import { RefusalError } from "@gadget/api";
import type { Logger } from "pino";
import { Approvals } from "../approvals.ts";
import type { BackgroundRegistry } from "../background-commands.ts";
import { callPreview } from "../call-preview.ts";
import type { Clock } from "../clock.ts";
import { commandEnvironment } from "../command-environment.ts";
import type { Demo } from "../demo.ts";
import { fromWire } from "../from-wire.ts";
import { instructions, subagentInstructions } from "../instructions.ts";
import type { Outbox } from "../outbox.ts";
import type { Completion } from "../outbox-log.ts";
import { providerFor } from "../provider-for.ts";
import { Questions } from "../questions.ts";
import { ownCallId, ToWire } from "../to-wire.ts";
import type { DroneToolContext } from "../tools/tool-context.ts";
import { tools } from "../tools/tools.ts";
import { unlessAborted } from "../unless-aborted.ts";
import type { ChangeStore } from "../workspace/change-store.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import type { Roots } from "../workspace/roots.ts";
import { TurnChanges } from "../workspace/turn-changes.ts";
import type { GetHistory } from "./agent.ts";
import { readHistory } from "./read-history.ts";

/** What the machine offers to its turns. */
export interface TurnServices {
  dataDir: string;
  roots: Roots;
  changeStore: ChangeStore;
  background: BackgroundRegistry;
  demo: Demo;
  hasGit: boolean;
  ripgrep: string | undefined;
  innerAddresses: boolean;
}

type Services = TurnServices & { clock: Clock; log: Logger };

/** After an abort everything ends within this time, or is left behind and named (A17). */
const abortDeadlineMs = 5_000;
const changesAfterAbortMs = 2_000;
const changesMs = 15_000;

/** One work order from its acceptance to its end, with the one controller that stops it (A9). */
export class RunningTurn {
  readonly order: WorkOrder;
  readonly questions: Questions;
  readonly approvals: Approvals;
  readonly #controller = new AbortController();
  readonly #outbox: Outbox;
  readonly #services: Services;
  readonly #senders = new Map<string, Person>();
  /** What was said of each file last. */
  readonly #files = new Map<string, string>();
  #workspace = "";
  #agent: AgentRun<DroneToolContext> | undefined;
  #finishing = false;
  #early: Parameters<RunningTurn["deliver"]>[0][] = [];
  #abortedAt: number | undefined;
  #processes = 0;
  #left = 0;
  #end: "own" | "stop" | "hand-back" = "own";
  #settle = () => {};
  /** Resolves when nothing of the turn runs any more. */
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(order: WorkOrder, outbox: Outbox, services: Services) {
    this.order = order;
    this.#outbox = outbox;
    this.#services = services;
    const emit = (event: TurnEventBody) => outbox.push(event);
    this.questions = new Questions(emit);
    this.approvals = new Approvals({
      mode: order.approval,
      allowed: order.allowed,
      emit,
      preview: (call: CallRequest) => callPreview(call, this.#workspace),
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the server knows how it ended, or must not be told any more. */
  get delivered(): Promise<void> {
    return this.#outbox.over;
  }

  abort(): void {
    if (this.signal.aborted) return;
    this.#abortedAt = this.#services.clock.now();
    this.#controller.abort();
    this.#outbox.push({ type: "turn:changed", status: "aborting" });
    this.#outbox.flush();
  }

  kill(): void {
    this.#outbox.drop();
    this.#controller.abort();
  }

  /** The drone ends: the work stops, what was said is sent, and no end is told. */
  stop(): void {
    this.#end = "stop";
    this.#controller.abort();
  }

  /** The drone ends and can't wait any longer. */
  handBack(): void {
    if (this.signal.aborted) return;
    this.#end = "hand-back";
    this.#controller.abort();
  }

  finish(): void {
    this.#finishing = true;
    this.#agent?.finish();
    this.#outbox.push({ type: "turn:changed", status: "processing", waitingFor: "finishing" });
  }

  deliver(message: { messageId: MessageId; text: string; mode: MessageMode; by: Person }): void {
    const { messageId, text, mode, by } = message;
    if (this.signal.aborted) throw new RefusalError("not_running");
    if (mode === "queue") {
      this.#outbox.push({ type: "message:queued", messageId, text, by });
    } else if (this.#agent === undefined) this.#early.push(message);
    else {
      this.#senders.set(messageId, by);
      this.#agent.steer({ messageId, text });
    }
  }

  cancelTool(callId: CallId): boolean {
    return this.#agent?.cancelTool(ownCallId(callId)) ?? false;
  }

  /** Never throws: how it ended is told to the server. */
  async run(getHistory: GetHistory): Promise<void> {
    this.#outbox.push({ type: "turn:changed", status: "processing" });
    const completion = await this.#untilDeadline(this.#work(getHistory));
    this.#settle();
    if (this.#end === "stop") {
      this.#outbox.flush();
      return;
    }
    void this.#outbox.complete(completion);
  }

  async #work(getHistory: GetHistory): Promise<Completion> {
    let changes: TurnChanges | undefined;
    let provider: AiProvider | undefined;
    let failure: string | undefined;
    try {
      const { source, directory = this.order.projectId } = this.order.workspace;
      const { roots, demo } = this.#services;
      const { signal } = this;
      this.#workspace = await openWorkspace(
        { source, directory },
        { roots, signal, make: true, onProgress: this.#progress() },
      );
      signal.throwIfAborted();
      changes = this.#changes();
      provider = await unlessAborted(providerFor(this.order.provider, demo), signal);
      failure = await this.#converse(provider, changes, getHistory);
    } catch (error) {
      // Only the signal says whether this end is an abort (A11).
      if (!this.signal.aborted) failure = this.#explain(error);
    }
    provider?.close();
    await this.#afterwards(changes);
    if (this.#abortedAt !== undefined) return this.#receipt(this.#abortedAt);
    if (this.#end === "hand-back") return { success: false, message: handedBack };
    return failure === undefined ? { success: true } : { success: false, message: failure };
  }

  async #converse(
    provider: AiProvider,
    changes: TurnChanges,
    getHistory: GetHistory,
  ): Promise<string | undefined> {
    const { order, signal } = this;
    const history = await readHistory(order.history, getHistory, signal);
    const system = await instructions(this.#workspace, order.approval);
    signal.throwIfAborted();
    const messages = fromWire(order, history, system);
    const agent = new AgentRun<DroneToolContext>({
      provider,
      model: order.model,
      signal,
      messages,
      tools,
      contextFor: (base) => ({ ...base, ...this.#context(changes) }),
      authorize: (call, callSignal) => this.approvals.authorize(call, callSignal),
      prepareHistory: async (sent) => {
        // A server that can't keep up slows the agent down, and not this process's memory.
        await this.#outbox.room(signal);
        return sent;
      },
      subagents: {
        tools: tools.filter(({ name }) => name !== "ask_user"),
        system: `${system}\n\n${subagentInstructions}`,
      },
      onAbortTimeout: ({ name }) => this.#notice("warning", "abort", `${name} does not stop.`),
      onLateResult: (tool) => this.#services.log.warn(tool, "A tool ended after its turn"),
    });
    this.#agent = agent;
    const wire = new ToWire(this.#senders);
    const events = agent.events();
    for (const message of this.#early.splice(0)) this.deliver(message);
    if (this.#finishing) agent.finish();
    for await (const event of events) {
      for (const body of wire.translate(event)) this.#outbox.push(body);
      if (event.type !== "end" || event.failure === undefined) continue;
      const { message, detail } = event.failure;
      return detail === undefined ? message : `${message} (${detail})`;
    }
    return undefined;
  }

  #context(
    changes: TurnChanges,
  ): Omit<DroneToolContext, "signal" | "callId" | "agentId" | "output"> {
    const { order, signal, questions } = this;
    const { background, ripgrep, innerAddresses } = this.#services;
    return {
      workspace: this.#workspace,
      changes,
      fileChanged: (file) => this.#fileChanged(file),
      commandEnded: ({ processesEnded, left, stoppedBy }) => {
        if (stoppedBy === "abort") this.#processes += processesEnded;
        this.#left += left;
      },
      environment: commandEnvironment(process.env, order.workspace.environment),
      silenceMs: order.graceMs,
      questions,
      background: background.forTurn(order.sessionId, order.turnId),
      turnSignal: signal,
      ripgrep,
      innerAddresses,
    };
  }

  #changes(): TurnChanges {
    const { dataDir, changeStore: store, hasGit } = this.#services;
    const { turnId } = this.order;
    const { signal } = this;
    const notice = this.#notice.bind(this);
    return new TurnChanges({
      dataDir,
      store,
      turnId,
      workspace: this.#workspace,
      hasGit,
      signal,
      notice,
    });
  }

  /** What is left to do whatever the end was: commands of an aborted turn, and the file changes. */
  async #afterwards(changes: TurnChanges | undefined): Promise<void> {
    const { background, log } = this.#services;
    const { aborted } = this.signal;
    if (aborted) await background.endOfTurn(this.order.turnId);
    try {
      const limit = AbortSignal.timeout(aborted ? changesAfterAbortMs : changesMs);
      for (const file of (await changes?.finish(limit)) ?? []) this.#fileChanged(file);
    } catch (error) {
      log.error({ err: error, turnId: this.order.turnId }, "The file changes are not known");
      this.#notice("warning", "snapshot", "Which files changed could not be found out.");
    }
  }

  #fileChanged(file: FileChange): void {
    const known = JSON.stringify(file);
    if (this.#files.get(file.path) === known) return;
    this.#files.set(file.path, known);
    this.#outbox.push({ type: "file:changed", file });
  }

  #receipt(abortedAt: number): Completion {
    const afterMs = Math.round(this.#services.clock.now() - abortedAt);
    const stopped = { afterMs, processes: this.#processes, left: this.#left };
    this.#outbox.push({ type: "turn:changed", status: "aborting", stopped });
    return { success: true, message: "aborted" };
  }

  /** A tool or a disk that hangs can't keep an aborted turn from its end. */
  #untilDeadline(work: Promise<Completion>): Promise<Completion> {
    const { clock } = this.#services;
    return new Promise((resolve) => {
      let cancel = () => {};
      const onAbort = () => {
        cancel = clock.after(abortDeadlineMs, () => {
          this.#notice("warning", "abort", "Something of this turn does not stop.");
          resolve(this.#receipt(this.#abortedAt ?? clock.now()));
        });
      };
      this.signal.addEventListener("abort", onAbort, { once: true });
      void work.then((completion) => {
        cancel();
        this.signal.removeEventListener("abort", onAbort);
        resolve(completion);
      });
    });
  }

  /** Git's progress, as notices that are not too many. */
  #progress(): (text: string) => void {
    const { clock } = this.#services;
    let next = clock.now() + 2_000;
    return (text) => {
      const line =
        text
          .trim()
          .split(/[\r\n]+/)
          .at(-1) ?? "";
      if (clock.now() < next || line === "") return;
      next = clock.now() + 2_000;
      this.#notice("info", "workspace", `Cloning: ${line}`);
    };
  }

  #notice(level: "info" | "warning" | "error", code: string, text: string): void {
    this.#outbox.push({ type: "notice", level, code, text });
  }

  #explain(error: unknown): string {
    if (error instanceof RefusalError) return error.message;
    this.#services.log.error({ err: error, turnId: this.order.turnId }, "The turn failed");
    return "Something went wrong on the drone. Its log says what; try again.";
  }
}

const handedBack =
  "The drone was stopped before the turn had ended. Continue it when a drone is there again.";
