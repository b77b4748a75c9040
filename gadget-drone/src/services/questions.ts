import {
  type CallId,
  newId,
  type Person,
  QuestionId,
  type QuestionOption,
  RefusalError,
  type TurnEventBody,
} from "@gadget/api";

interface Question {
  callId: CallId;
  question: string;
  options?: QuestionOption[] | undefined;
}

/** The questions of one turn that wait for a person (rule A22). */
export class Questions {
  readonly #emit: (event: TurnEventBody) => void;
  readonly #open = new Map<QuestionId, (answer: string, by: Person) => void>();

  constructor(emit: (event: TurnEventBody) => void) {
    this.#emit = emit;
  }

  /** Waits for as long as it takes; the signal closes the question without an answer. */
  ask(asked: Question, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const questionId = newId(QuestionId);
    this.#emit({ type: "question:open", questionId, ...asked });
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#open.delete(questionId);
        this.#emit({ type: "question:closed", questionId });
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#open.set(questionId, (answer, by) => {
        signal.removeEventListener("abort", onAbort);
        this.#open.delete(questionId);
        this.#emit({ type: "question:closed", questionId, answer, by });
        resolve(answer);
      });
    });
  }

  answer(questionId: QuestionId, answer: string, by: Person): void {
    const settle = this.#open.get(questionId);
    if (settle === undefined) {
      throw new RefusalError("closed");
    }
    settle(answer, by);
  }
}
