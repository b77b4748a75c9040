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
import type { Allowance } from "../allowances/allowance.ts";
import { wireCallId } from "../wire-call-id.ts";

interface Answer {
  decision: ApprovalDecision;
  reason?: string | undefined;
  by: Person;
}

/** What a person is shown before a call may run. */
export interface CallPreview {
  command?: string;
  diff?: string;
  /** Where it runs, if not in the workspace's own folder. */
  cwd?: string;
  background?: boolean;
  timeoutMs?: number;
  /** What "in this session" would allow; it can't be allowed if not given. */
  allowance?: Allowance;
}

export interface ApprovalsOptions {
  mode: ApprovalMode;
  /** Keys of what was allowed for the session. */
  allowed: readonly string[];
  emit: (event: TurnEventBody) => void;
  preview: (call: CallRequest) => Promise<CallPreview>;
}

const edits = new Set(["write_file", "edit_file"]);
/** Change nothing outside of the turn; what children do is asked for by itself. */
const harmless = new Set(["ask_user", "wait", "todo", "background", "spawn_agent", "spawn_agents"]);

/** A background command may be another turn's: in a session that only reads nothing is ended. */
function stopsCommand({ name, input }: CallRequest): boolean {
  const action = typeof input === "object" && input !== null && Reflect.get(input, "action");
  return name === "background" && action === "stop";
}

/** Who may do what in one turn, and the cards that wait for a person. Nothing answers itself. */
export class Approvals {
  mode: ApprovalMode;
  readonly #allowed: Set<string>;
  readonly #options: ApprovalsOptions;
  readonly #open = new Map<ApprovalId, (answer: Answer) => void>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.mode = options.mode;
    this.#allowed = new Set(options.allowed);
  }

  async authorize(call: CallRequest, signal: AbortSignal): Promise<Permission> {
    const { mode } = this;
    if (mode === "auto") {
      return { allowed: true };
    }
    const isHarmless = call.readOnly || harmless.has(call.name);
    if (isHarmless && !(mode === "read-only" && stopsCommand(call))) {
      return { allowed: true };
    }
    if (mode === "read-only") {
      const reason = "The session is read-only. Say what you would change instead.";
      return { allowed: false, reason };
    }
    if (edits.has(call.name) && mode === "edits") {
      return { allowed: true };
    }
    const preview = await this.#options.preview(call);
    const keys = preview.allowance?.keys ?? [];
    if (keys.length > 0 && keys.every((key) => this.#allowed.has(key))) {
      return { allowed: true };
    }
    const { decision, reason } = await this.#ask(call, preview, signal);
    if (decision === "deny") {
      return { allowed: false, reason: reason ?? "The user said no." };
    }
    if (decision === "session") {
      for (const key of keys) {
        this.#allowed.add(key);
      }
    }
    return { allowed: true };
  }

  answer(approvalId: ApprovalId, answer: Answer): void {
    const settle = this.#open.get(approvalId);
    if (settle === undefined) {
      throw new RefusalError("closed");
    }
    settle(answer);
  }

  #ask(
    { callId, agentId, name }: CallRequest,
    { allowance, ...preview }: CallPreview,
    signal: AbortSignal,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const { emit } = this.#options;
    const approvalId = newId(ApprovalId);
    const shown = { callId: wireCallId(callId, agentId), name, ...preview };
    const { keys, prefix, allows } = allowance ?? {};
    const session = allowance !== undefined && { allowance: [...(keys ?? [])], prefix, allows };
    emit({ type: "approval:open", approvalId, ...shown, ...session });
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
