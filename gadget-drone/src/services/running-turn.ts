import { type CallRequest, type ToolContext, unlessAborted, untilDeadline } from "@gadget/agent";
import type { AiProvider } from "@gadget/ai";
import {
  type CallId,
  type FileChange,
  fullLog,
  type MessageId,
  type MessageMode,
  type Person,
  RefusalError,
  type TurnEventBody,
  type WorkOrder,
} from "@gadget/api";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { KnownModels } from "../history/model-window.ts";
import type { GetHistory } from "../history/read-history.ts";
import type { OutboundProxy } from "../link/outbound-proxy.ts";
import type { Outbox } from "../link/outbox.ts";
import type { Completion } from "../link/outbox-log.ts";
import type { KeptOutputs } from "../outputs/kept-outputs.ts";
import type { BackgroundRegistry } from "../process/background-registry.ts";
import { commandEnvironment } from "../process/command-environment.ts";
import type { DroneTool, DroneToolContext } from "../tools/tool-context.ts";
import type { AsideFiles } from "../workspace/changes/aside-files.ts";
import type { ChangeStore } from "../workspace/changes/change-store.ts";
import { TurnChanges } from "../workspace/changes/turn-changes.ts";
import { CloneProgress } from "../workspace/git/clone-progress.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import type { Roots } from "../workspace/roots.ts";
import { Approvals } from "./approvals.ts";
import { callPreview } from "./call-preview.ts";
import { Conversation } from "./conversation.ts";
import type { Demo } from "./demo.ts";
import { providerFor } from "./provider-for.ts";
import { Questions } from "./questions.ts";
import { Receipt } from "./receipt.ts";

/** What the machine offers to its turns. */
export interface TurnServices {
  dataDir: string;
  roots: Roots;
  changeStore: ChangeStore;
  asides: AsideFiles;
  background: BackgroundRegistry;
  outputs: KeptOutputs;
  demo: Demo;
  tools: readonly DroneTool[];
  knownModels: KnownModels;
  proxy: OutboundProxy | undefined;
  hasGit: boolean;
  ripgrep: string | undefined;
  innerAddresses: boolean;
}

type Services = TurnServices & { clock: Clock; log: Logger };

/** After an abort everything ends within this time, or is left behind and named (A17). */
const abortDeadlineMs = 5_000;
const echoMs = 10;
const changesAfterAbortMs = 2_000;
const changesMs = 15_000;

/** One work order from its acceptance to its end, with the one controller that stops it (A9). */
export class RunningTurn {
  readonly order: WorkOrder;
  readonly questions: Questions;
  readonly approvals: Approvals;
  readonly #conversation: Conversation;
  readonly #controller = new AbortController();
  readonly #outbox: Outbox;
  readonly #services: Services;
  /** What was said of each file last. */
  readonly #files = new Map<string, string>();
  #workspace = "";
  #abortedAt: number | undefined;
  readonly #receipt = new Receipt((level, code, text) => this.#notice(level, code, text));
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
    this.#conversation = new Conversation({
      order,
      tools: services.tools,
      signal: this.signal,
      emit,
      authorize: (call, signal) => this.approvals.authorize(call, signal),
      clock: services.clock,
      log: services.log,
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the server knows how it ended, or must not be told any more. */
  get delivered(): Promise<void> {
    return this.#outbox.over;
  }

  /** Somebody asked for it: the signal first, then the word of it. */
  abort(): void {
    if (this.signal.aborted) {
      return;
    }
    this.#abortedAt = this.#services.clock.now();
    this.#stopWork();
    // What settles at once says so together with its end: one write for the server, not two.
    this.#outbox.push({ type: "turn:changed", status: "aborting" }, echoMs);
  }

  /** The lease is lost: nothing more is written. */
  kill(): void {
    this.#outbox.drop();
    this.#stopWork();
  }

  /** The drone ends: the work stops, what was said is sent, and no end is told. */
  stop(): void {
    this.#end = "stop";
    this.#stopWork();
  }

  /** The drone ends and can't wait any longer. */
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
    this.#conversation.finish();
    this.#outbox.push({ type: "turn:changed", status: "processing", waitingFor: "finishing" });
  }

  deliver(message: { messageId: MessageId; text: string; mode: MessageMode; by: Person }): void {
    const { messageId, text, mode, by } = message;
    if (this.signal.aborted) {
      throw new RefusalError("not_running");
    }
    if (mode === "steer") {
      this.#conversation.steer({ messageId, text }, by);
    } else {
      this.#outbox.push({ type: "message:queued", messageId, text, by });
    }
  }

  cancelTool(callId: CallId): boolean {
    return this.#conversation.cancelTool(callId);
  }

  /** Never throws: how it ended is told to the server. */
  async run(getHistory: GetHistory): Promise<void> {
    const { signal } = this;
    const { clock } = this.#services;
    this.#outbox.push({ type: "turn:changed", status: "processing" });
    const limits = { signal, clock, deadlineMs: abortDeadlineMs };
    const completion = await untilDeadline(this.#work(getHistory), limits, () => {
      this.#notice("warning", "abort", "Something of this turn does not stop.");
      this.#receipt.leaveBehind();
      return this.#completion(undefined);
    });
    this.#settle();
    if (this.#end === "stop") {
      this.#outbox.flush();
    } else {
      void this.#outbox.complete(completion);
    }
  }

  async #work(getHistory: GetHistory): Promise<Completion> {
    let changes: TurnChanges | undefined;
    let provider: AiProvider | undefined;
    let failure: string | undefined;
    const { knownModels } = this.#services;
    try {
      if (this.order.compact === true) {
        provider = await this.#reachProvider();
        failure = await this.#conversation.compact({ provider, getHistory, knownModels });
      } else {
        this.#workspace = await this.#openWorkspace();
        const recorder = this.#recordChanges();
        changes = recorder;
        provider = await this.#reachProvider();
        failure = await this.#conversation.run({
          provider,
          workspace: this.#workspace,
          contextFor: (base) => ({ ...base, ...this.#context(recorder) }),
          getHistory,
          room: () => this.#room(),
          knownModels,
        });
      }
    } catch (error) {
      // Only the signal says whether this end is an abort (A11).
      if (!this.signal.aborted) {
        failure = this.#explain(error);
      }
    }
    provider?.close();
    await this.#endCommands();
    await this.#endChanges(changes);
    await this.#endCommands();
    return this.#completion(failure);
  }

  /** Before each step: whether the turn may write more, and once the server has taken enough. */
  async #room(): Promise<void> {
    if (this.#outbox.isFull) {
      throw new RefusalError("too_large", fullLog);
    }
    await this.#outbox.room(this.signal);
  }

  #reachProvider(): Promise<AiProvider> {
    const reaching = providerFor(this.order.provider, this.#services);
    return unlessAborted(reaching, this.signal).catch((error: unknown) => {
      // It may come after an abort; nobody would close it.
      void reaching.then((late) => late.close()).catch(() => {});
      throw error;
    });
  }

  async #openWorkspace(): Promise<string> {
    const { source, directory = this.order.projectId } = this.order.workspace;
    const { roots, clock } = this.#services;
    const { signal } = this;
    const url = source.kind === "git" ? source.gitUrl : undefined;
    const progress =
      url === undefined
        ? undefined
        : new CloneProgress(url, clock, (phase, text) => {
            const part = { partId: "clone", phase, level: "info", code: "clone" } as const;
            this.#outbox.push({ type: "notice", ...part, text });
          });
    const onProgress = (text: string) => progress?.add(text);
    try {
      const request = { source, directory };
      const workspace = await openWorkspace(request, { roots, signal, make: true, onProgress });
      signal.throwIfAborted();
      progress?.end("cloned");
      return workspace;
    } catch (error) {
      progress?.end(signal.aborted ? "stopped" : "failed");
      throw error;
    }
  }

  #recordChanges(): TurnChanges {
    const { dataDir, changeStore: store, hasGit } = this.#services;
    const { turnId } = this.order;
    const { signal } = this;
    const workspace = this.#workspace;
    const notice = this.#notice.bind(this);
    return new TurnChanges({ dataDir, store, turnId, workspace, hasGit, signal, notice });
  }

  #context(changes: TurnChanges): Omit<DroneToolContext, keyof ToolContext> {
    const { order, signal, questions } = this;
    const { asides, background, outputs, ripgrep, innerAddresses } = this.#services;
    return {
      workspace: this.#workspace,
      changes,
      asides,
      fileChanged: (file) => this.#fileChanged(file),
      commandStarted: (done, more) => this.#receipt.watch(done, more),
      environment: commandEnvironment(process.env, order.workspace.environment),
      silenceMs: order.graceMs,
      questions,
      background: background.forTurn(order.sessionId, order.turnId),
      outputs: outputs.ofSession(order.sessionId),
      turnSignal: signal,
      ripgrep,
      innerAddresses,
    };
  }

  /** Background commands survive the turn, unless it was aborted: then the receipt counts them. */
  async #endCommands(): Promise<void> {
    if (this.signal.aborted) {
      await this.#services.background.endOfTurn(this.order.turnId);
    }
  }

  async #endChanges(changes: TurnChanges | undefined): Promise<void> {
    try {
      const files = changes === undefined ? [] : await this.#look(changes);
      for (const file of files) {
        this.#fileChanged(file);
      }
    } catch (error) {
      const { turnId } = this.order;
      this.#services.log.error({ err: error, turnId }, "The file changes are not known");
      this.#notice("warning", "snapshot", "Which files changed could not be found out.");
    }
  }

  /** An abort ends a long look at the files; then there is a short one, for the receipt. */
  async #look(changes: TurnChanges): Promise<FileChange[]> {
    const { signal } = this;
    if (!signal.aborted) {
      try {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(changesMs)]);
        return await changes.finish(limit);
      } catch (error) {
        if (!signal.aborted) {
          throw error;
        }
      }
    }
    return changes.finish(AbortSignal.timeout(changesAfterAbortMs));
  }

  #fileChanged(file: FileChange): void {
    const known = JSON.stringify(file);
    if (this.#files.get(file.path) === known) {
      return;
    }
    this.#files.set(file.path, known);
    this.#outbox.push({ type: "file:changed", file });
  }

  #completion(failure: string | undefined): Completion {
    this.#receipt.tellLeft(this.#abortedAt !== undefined);
    if (this.#abortedAt !== undefined) {
      const afterMs = Math.round(this.#services.clock.now() - this.#abortedAt);
      const stopped = { afterMs, ...this.#receipt.counted() };
      this.#outbox.push({ type: "turn:changed", status: "aborting", stopped });
      return { success: true, message: "aborted" };
    }
    if (this.#end === "hand-back") {
      return { success: false, message: handedBack };
    }
    return failure === undefined ? { success: true } : { success: false, message: failure };
  }

  #notice(level: "info" | "warning" | "error", code: string, text: string): void {
    this.#outbox.push({ type: "notice", level, code, text });
  }

  #explain(error: unknown): string {
    if (error instanceof RefusalError) {
      return error.message;
    }
    this.#services.log.error({ err: error, turnId: this.order.turnId }, "The turn failed");
    return "Something went wrong on the drone. Its log says what; try again.";
  }
}

const handedBack =
  "The drone was stopped before the turn had ended. Continue it when a drone is there again.";
