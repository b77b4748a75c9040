import { type CallRequest, type ToolContext, unlessAborted } from "@gadget/agent";
import type { AiProvider } from "@gadget/ai";
import { fullLog, RefusalError, type TurnEventBody, type WorkOrder } from "@gadget/api";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { KnownModels } from "../history/model-window.ts";
import type { OutboundProxy } from "../link/outbound-proxy.ts";
import type { Outbox } from "../link/outbox.ts";
import type { ServerHistory } from "../link/server-history.ts";
import type { KeptOutputs } from "../outputs/kept-outputs.ts";
import type { BackgroundRegistry } from "../process/background-registry.ts";
import { commandEnvironment } from "../process/command-environment.ts";
import type { DroneTool, DroneToolContext } from "../tools/tool-context.ts";
import type { AsideFiles } from "../workspace/aside-files.ts";
import type { ChangeStore } from "../workspace/changes/change-store.ts";
import { TurnChanges } from "../workspace/changes/turn-changes.ts";
import type { Roots } from "../workspace/roots.ts";
import { Approvals } from "./approvals.ts";
import { callPreview } from "./call-preview.ts";
import { Conversation } from "./conversation.ts";
import type { Demo } from "./demo.ts";
import { FilesSeen } from "./files-seen.ts";
import { prepareWorkspace } from "./prepare-workspace.ts";
import { providerFor } from "./provider-for.ts";
import { Questions } from "./questions.ts";
import type { Receipt } from "./receipt.ts";

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
  history: ServerHistory;
  proxy: OutboundProxy | undefined;
  hasGit: boolean;
  ripgrep: string | undefined;
  innerAddresses: boolean;
  clock: Clock;
  log: Logger;
}

export interface TurnWorkOptions {
  order: WorkOrder;
  outbox: Outbox;
  services: TurnServices;
  receipt: Receipt;
  /** The turn's own: the work ends when it fires. */
  signal: AbortSignal;
}

/** What a turn does, from the opening of its workspace to the last look at its files. */
export class TurnWork {
  readonly questions: Questions;
  readonly approvals: Approvals;
  readonly conversation: Conversation;
  readonly #options: TurnWorkOptions;
  readonly #files: FilesSeen;
  #workspace = "";

  constructor(options: TurnWorkOptions) {
    this.#options = options;
    const { order, outbox, services, signal } = options;
    const { tools, clock, log, history } = services;
    const emit = (event: TurnEventBody) => outbox.push(event);
    this.#files = new FilesSeen((file) => outbox.push({ type: "file:changed", file }));
    this.questions = new Questions(emit);
    this.approvals = new Approvals({
      mode: order.approval,
      allowed: order.allowed,
      emit,
      preview: (call: CallRequest) => callPreview(call, this.#workspace),
    });
    this.conversation = new Conversation({
      order,
      tools,
      signal,
      emit,
      getHistory: (cursor) => history.page(order.turnId, cursor),
      authorize: (call, signal) => this.approvals.authorize(call, signal),
      clock,
      log,
    });
  }

  /** Never throws: gives what a person should know where it failed. */
  async run(): Promise<string | undefined> {
    const { order, signal } = this.#options;
    const { knownModels } = this.#options.services;
    let changes: TurnChanges | undefined;
    let provider: AiProvider | undefined;
    let failure: string | undefined;
    try {
      if (order.compact === true) {
        provider = await this.#reachProvider();
        failure = await this.conversation.compact({ provider, knownModels });
      } else {
        this.#workspace = await this.#prepareWorkspace();
        const recorder = this.#recordChanges();
        changes = recorder;
        provider = await this.#reachProvider();
        failure = await this.conversation.run({
          provider,
          workspace: this.#workspace,
          contextFor: (base) => ({ ...base, ...this.#context(recorder) }),
          room: () => this.#room(),
          knownModels,
        });
      }
    } catch (error) {
      // Only the signal says whether this end is an abort (A11).
      if (!signal.aborted) {
        failure = this.#explain(error);
      }
    }
    provider?.close();
    await this.#endCommands();
    if (changes !== undefined) {
      await this.#endChanges(changes);
    }
    // The abort may have come while the files were looked at.
    await this.#endCommands();
    return failure;
  }

  /** Before each step: whether the turn may write more, and once the server has taken enough. */
  async #room(): Promise<void> {
    const { outbox, signal } = this.#options;
    if (outbox.isFull) {
      throw new RefusalError("too_large", fullLog);
    }
    await outbox.room(signal);
  }

  #reachProvider(): Promise<AiProvider> {
    const { order, services, signal } = this.#options;
    const reaching = providerFor(order.provider, services);
    return unlessAborted(reaching, signal).catch((error: unknown) => {
      // It may come after an abort; nobody would close it.
      void reaching.then((late) => late.close()).catch(() => {});
      throw error;
    });
  }

  #prepareWorkspace(): Promise<string> {
    const { order, outbox, services, signal } = this.#options;
    const { roots, clock } = services;
    const emit = (event: TurnEventBody) => outbox.push(event);
    return prepareWorkspace({ order, roots, clock, signal, emit });
  }

  #recordChanges(): TurnChanges {
    const { order, services, signal } = this.#options;
    const { dataDir, changeStore: store, hasGit } = services;
    const { turnId } = order;
    const workspace = this.#workspace;
    const notice = this.#notice.bind(this);
    return new TurnChanges({ dataDir, store, turnId, workspace, hasGit, signal, notice });
  }

  #context(changes: TurnChanges): Omit<DroneToolContext, keyof ToolContext> {
    const { order, receipt, services, signal } = this.#options;
    const { asides, background, outputs, ripgrep, innerAddresses } = services;
    return {
      workspace: this.#workspace,
      changes,
      asides,
      fileChanged: (file) => this.#files.changed(file),
      commandStarted: (done, more) => receipt.watch(done, more),
      environment: commandEnvironment(process.env, order.workspace.environment),
      silenceMs: order.graceMs,
      questions: this.questions,
      background: background.forTurn(order.sessionId, order.turnId),
      outputs: outputs.ofSession(order.sessionId),
      turnSignal: signal,
      ripgrep,
      innerAddresses,
    };
  }

  /** Background commands survive the turn, unless it was aborted: then the receipt counts them. */
  async #endCommands(): Promise<void> {
    const { order, services, signal } = this.#options;
    if (signal.aborted) {
      await services.background.endOfTurn(order.turnId);
    }
  }

  async #endChanges(changes: TurnChanges): Promise<void> {
    const { order, services, signal } = this.#options;
    try {
      await this.#files.end(changes, signal);
    } catch (error) {
      services.log.error({ err: error, turnId: order.turnId }, "The file changes are not known");
      this.#notice("warning", "snapshot", "Which files changed could not be found out.");
    }
  }

  #notice(level: "info" | "warning", code: string, text: string): void {
    this.#options.outbox.push({ type: "notice", level, code, text });
  }

  #explain(error: unknown): string {
    if (error instanceof RefusalError) {
      return error.message;
    }
    const { order, services } = this.#options;
    services.log.error({ err: error, turnId: order.turnId }, "The turn failed");
    return "Something went wrong on the drone. Its log says what; try again.";
  }
}
