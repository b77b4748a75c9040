import {
  type ApprovalDecision,
  type PartOf,
  RefusalError,
  type Transcript,
  type TurnId,
} from "@gadget/api";
import { type Asked, ask } from "../ask/ask.ts";
import type { CommandContext } from "../command-context.ts";
import type { Screen } from "../print/screen.ts";
import { answerOf, type OpenPart, openParts } from "./open-parts.ts";

export interface DeskOptions {
  context: CommandContext;
  turnId: TurnId;
  screen: Screen;
  /** The person ended the input instead of answering. */
  onLeft: () => void;
}

/** Puts a turn's open questions and approvals before the person, one at a time. */
export class Desk {
  readonly #options: DeskOptions;
  readonly #answered = new Set<string>();
  #open: { id: string; asked: Asked | undefined } | undefined;
  #closed = false;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** What was answered elsewhere, or died with an abort, is taken away. */
  update(transcript: Transcript): void {
    const waiting = openParts(transcript).filter(({ id }) => !this.#answered.has(id));
    const open = this.#open;
    if (open !== undefined && !waiting.some(({ id }) => id === open.id)) {
      this.#takeAway();
    }
    const [next] = waiting;
    if (next !== undefined && this.#open === undefined && !this.#closed) {
      void this.#put(next);
    }
  }

  close(): void {
    this.#closed = true;
    this.#takeAway();
  }

  #takeAway(): void {
    const open = this.#open;
    if (open === undefined) {
      return;
    }
    this.#open = undefined;
    open.asked?.close();
    this.#release();
  }

  async #put(part: OpenPart): Promise<void> {
    const { screen, onLeft } = this.#options;
    const place: { id: string; asked: Asked | undefined } = { id: part.id, asked: undefined };
    this.#open = place;
    screen.lines.hold();
    screen.spinner.pause();
    const isOpen = () => this.#open === place;
    let typed: string | undefined = "";
    while (isOpen() && typed !== undefined) {
      place.asked = ask(this.#options.context.terminal, promptFor(part));
      typed = await place.asked.answer;
      if (isOpen() && typed !== undefined && (await this.#send(part, typed))) {
        this.#answered.add(part.id);
        break;
      }
    }
    const left = isOpen() && typed === undefined;
    if (!isOpen()) {
      return;
    }
    this.#open = undefined;
    this.#release();
    if (left) {
      onLeft();
    }
  }

  /** What came in meanwhile is shown, under the prompt's line. */
  #release(): void {
    const { screen, context } = this.#options;
    context.terminal.stderr.write("\n");
    screen.spinner.resume();
    screen.lines.release();
  }

  /** Whether the question is done with; otherwise it is asked again. */
  async #send(part: OpenPart, typed: string): Promise<boolean> {
    const { context, turnId, screen } = this.#options;
    const { client, signal } = context;
    try {
      if (part.kind === "question") {
        const answer = answerOf(part, typed);
        if (answer === "") {
          return false;
        }
        const params = { id: turnId, questionId: part.id };
        await client.request("answerQuestion", { params, body: { answer }, signal });
        return true;
      }
      const body = decisionOf(typed);
      if (body === undefined) {
        return false;
      }
      const params = { id: turnId, approvalId: part.id };
      await client.request("answerApproval", { params, body, signal });
      return true;
    } catch (error) {
      if (signal.aborted) {
        return true;
      }
      screen.note(error instanceof Error ? error.message : String(error));
      return error instanceof RefusalError && error.status === 409;
    }
  }
}

function promptFor(part: OpenPart): string {
  if (part.kind === "approval") {
    return `${approvalPrompt(part)} > `;
  }
  return part.options === undefined ? "Answer > " : "Answer, or a number > ";
}

function approvalPrompt({ prefix }: PartOf<"approval">): string {
  const session = prefix === undefined ? "s(ession)" : `s(ession: "${prefix}")`;
  return `y(es), ${session}, n(o), or n and the reason`;
}

/** `y`, `s`, `n`, or `n` and why; undefined where it is none of them. */
export function decisionOf(
  typed: string,
): { decision: ApprovalDecision; reason?: string } | undefined {
  const [word = "", ...rest] = typed.trim().split(/[\s,:]+/);
  const reason = rest.join(" ");
  if (/^(?:y|yes|once)$/i.test(word)) {
    return { decision: "once" };
  }
  if (/^(?:s|session)$/i.test(word)) {
    return { decision: "session" };
  }
  if (!/^(?:n|no|deny)$/i.test(word)) {
    return undefined;
  }
  return reason === "" ? { decision: "deny" } : { decision: "deny", reason };
}
