import type { AiUserMessage } from "@gadget/ai";
import type { AgentEvent, ChildIdentity, Steer, ToolOutcome } from "./agent-event.ts";

/** What a background child brought back. */
export interface ChildResult extends ChildIdentity {
  title: string;
  outcome: ToolOutcome;
  text: string;
}

/** What comes to an agent from outside while it runs; taken before its next model call. */
export class Inbox {
  /** No new tools, and one last model call without any. */
  finishing = false;
  /** End at the beginning of the next step. */
  stopping = false;
  #steers: Steer[] = [];
  #results: ChildResult[] = [];

  steer(message: Steer): void {
    this.#steers.push(message);
  }

  deliver(result: ChildResult): void {
    this.#results.push(result);
  }

  get undelivered(): number {
    return this.#results.length;
  }

  get hasSteers(): boolean {
    return this.#steers.length > 0;
  }

  /** Why calls that have not started yet shall not start. */
  get skip(): "steered" | "finishing" | undefined {
    if (this.finishing || this.stopping) {
      return "finishing";
    }
    return this.hasSteers ? "steered" : undefined;
  }

  /** Messages for the model, with what is to be told of them. */
  take(): { message: AiUserMessage; event?: AgentEvent }[] {
    const results = this.takeResults().map((result) => ({ message: asMessage(result) }));
    const steers = this.takeSteers().map((steer) => ({
      message: { role: "user" as const, content: steer.text, pinned: true },
      event: { type: "message:steered" as const, ...steer },
    }));
    return [...results, ...steers];
  }

  takeResults(): ChildResult[] {
    return this.#results.splice(0);
  }

  takeSteers(): Steer[] {
    return this.#steers.splice(0);
  }
}

function asMessage({ childId, title, outcome, text }: ChildResult): AiUserMessage {
  const head = `(The subagent ${childId}, "${title}", has ended: ${outcome}. Its result:)`;
  return { role: "user", content: `${head}\n${text}` };
}
