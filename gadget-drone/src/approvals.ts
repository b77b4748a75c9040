import type { CallRequest, Permission } from "@gadget/agent";
import {
  type ApprovalDecision,
  ApprovalId,
  type ApprovalMode,
  newId,
  type Person,
  RefusalError,
  type TurnEventBody,
} from "@gadget/api";
import { commandPrefix, isAllowed } from "./command-prefix.ts";
import { wireCallId } from "./to-wire.ts";

interface Answer {
  decision: ApprovalDecision;
  reason?: string | undefined;
  by: Person;
}

/** What a person is shown before a call may run. */
export interface CallPreview {
  command?: string;
  diff?: string;
  /** What "for this session" allows, where the command's own words don't say it. */
  prefix?: string;
}

export interface ApprovalsOptions {
  mode: ApprovalMode;
  /** Prefixes that were allowed for the session. */
  allowed: readonly string[];
  emit: (event: TurnEventBody) => void;
  preview: (call: CallRequest) => Promise<CallPreview>;
}

const edits = new Set(["write_file", "edit_file"]);
/** Change nothing outside of the turn; what children do is asked for by itself. */
const harmless = new Set(["ask_user", "wait", "todo", "background", "spawn_agent", "spawn_agents"]);

/** Who may do what in one turn, and the cards that wait for a person. Nothing answers itself. */
export class Approvals {
  mode: ApprovalMode;
  readonly #allowed: string[];
  readonly #options: ApprovalsOptions;
  readonly #open = new Map<ApprovalId, (answer: Answer) => void>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.mode = options.mode;
    this.#allowed = [...options.allowed];
  }

  async authorize(call: CallRequest, signal: AbortSignal): Promise<Permission> {
    if (this.mode === "auto" || call.readOnly || harmless.has(call.name)) return { allowed: true };
    if (this.mode === "read-only") {
      const reason = "The session is read-only. Say what you would change instead.";
      return { allowed: false, reason };
    }
    if (edits.has(call.name) && this.mode === "edits") return { allowed: true };
    const preview = await this.#options.preview(call);
    const { command } = preview;
    const prefix = preview.prefix ?? (command === undefined ? undefined : commandPrefix(command));
    const known =
      preview.prefix === undefined
        ? command !== undefined && isAllowed(command, this.#allowed)
        : this.#allowed.includes(preview.prefix);
    if (known) return { allowed: true };
    const { decision, reason } = await this.#ask(call, preview, prefix, signal);
    if (decision === "deny") return { allowed: false, reason: reason ?? "The user said no." };
    if (decision === "session" && prefix !== undefined) this.#allowed.push(prefix);
    return { allowed: true };
  }

  answer(approvalId: ApprovalId, answer: Answer): void {
    const settle = this.#open.get(approvalId);
    if (settle === undefined) throw new RefusalError("closed");
    settle(answer);
  }

  #ask(
    { callId, agentId, name }: CallRequest,
    preview: CallPreview,
    prefix: string | undefined,
    signal: AbortSignal,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const { emit } = this.#options;
    const approvalId = newId(ApprovalId);
    const shown = { callId: wireCallId(callId, agentId), name, ...preview };
    emit({ type: "approval:open", approvalId, ...shown, ...(prefix !== undefined && { prefix }) });
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#open.delete(approvalId);
        emit({ type: "approval:closed", approvalId });
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#open.set(approvalId, (answer) => {
        signal.removeEventListener("abort", onAbort);
        this.#open.delete(approvalId);
        const { decision, reason, by } = answer;
        emit({ type: "approval:closed", approvalId, decision, ...(reason && { reason }), by });
        resolve(answer);
      });
    });
  }
}
