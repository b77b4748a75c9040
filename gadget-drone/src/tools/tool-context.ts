import type { AgentTool, ToolContext } from "@gadget/agent";
import type { CallId, FileChange, QuestionOption } from "@gadget/api";
import type { SessionOutputs } from "../outputs/session-outputs.ts";
import type { BackgroundCommands } from "../process/background-registry.ts";
import type { CommandResult } from "../process/command.ts";
import type { AsideFiles } from "../workspace/aside-files.ts";
import type { TurnChanges } from "../workspace/changes/turn-changes.ts";

/** Asks a person and waits for the answer; the signal closes the question without one. */
export interface AskPeople {
  ask(
    asked: { callId: CallId; question: string; options?: QuestionOption[] | undefined },
    signal: AbortSignal,
  ): Promise<string>;
}

/** What the drone's tools work with, besides what every tool is given. */
export interface DroneToolContext extends ToolContext {
  /** The workspace's real path. */
  workspace: string;
  changes: TurnChanges;
  /** The names of files on their way to their places. */
  asides: AsideFiles;
  /** A tool changed a file; people are shown it at once. */
  fileChanged(change: FileChange): void;
  /** A command runs until this resolves; the receipt of an abort counts it. */
  commandStarted(done: Promise<CommandResult>, more?: { background: boolean }): void;
  /** The environment that commands see. */
  environment: Readonly<Record<string, string>>;
  /** Commands are stopped when the drone is silent for longer than its grace. */
  silenceMs: number;
  questions: AskPeople;
  background: BackgroundCommands;
  /** What the session's commands printed, where the model was shown only a part. */
  outputs: SessionOutputs;
  /** Fires with an abort of the turn; what a background command lives by. */
  turnSignal: AbortSignal;
  ripgrep: string | undefined;
  /** Whether addresses of the drone's own network may be fetched. */
  innerAddresses: boolean;
}

export type DroneTool = AgentTool<DroneToolContext>;
