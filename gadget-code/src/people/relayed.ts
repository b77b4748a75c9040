import { createHash } from "node:crypto";
import type { Person, TurnEvent, TurnId, UserId } from "@gadget/api";

type WordType = "question:closed" | "approval:closed" | "message:queued" | "message:steered";
type WordEvent = Extract<TurnEvent, { type: WordType }>;

/** What a person says to a turn that runs, as the drone's event tells it again. */
export type Word = WordEvent extends infer Event
  ? Event extends WordEvent
    ? Omit<Event, "turnId" | "seq" | "fromSeq" | "epoch" | "at" | "by">
    : never
  : never;

/** Of each person; an event comes soon after what it tells. */
const mostKept = 1_000;

/**
 * Who said what to a running turn. A drone tells in its events what it was told; by whom is not
 * taken from it, as it may be lying, but from what was handed to it.
 */
export class Relayed {
  readonly #words = new Map<UserId, Map<string, Person>>();
  readonly #tell: (word: string, by: Person) => void;

  /** `tell`: other nodes, as one of them may have the drone. */
  constructor(tell: (word: string, by: Person) => void) {
    this.#tell = tell;
  }

  /** Before it is handed to the drone, so that no event can be faster. */
  note(turnId: TurnId, by: Person, said: Word): void {
    const word = wordOf(turnId, said);
    this.hear(word, by);
    this.#tell(word, by);
  }

  hear(word: string, by: Person): void {
    const words = this.#words.get(by.id) ?? new Map<string, Person>();
    this.#words.set(by.id, words);
    words.delete(word);
    words.set(word, by);
    const [oldest] = words.keys();
    if (words.size > mostKept && oldest !== undefined) {
      words.delete(oldest);
    }
  }

  /**
   * The event with the person who has said it; with nobody, where nobody did. Only its owner can
   * say something to a turn.
   */
  truly(event: TurnEvent, owner: UserId | undefined): TurnEvent {
    if (event.type === "turn:changed") {
      const { abortedBy: _, ...rest } = event;
      return rest;
    }
    if (!isWord(event)) {
      return event;
    }
    const { by: _, ...rest } = event;
    const words = owner === undefined ? undefined : this.#words.get(owner);
    const by = words?.get(wordOf(event.turnId, event));
    return by === undefined ? rest : { ...rest, by };
  }
}

const words = new Set<string>([
  "question:closed",
  "approval:closed",
  "message:queued",
  "message:steered",
] satisfies WordType[]);

function isWord(event: TurnEvent): event is WordEvent {
  return words.has(event.type);
}

function wordOf(turnId: TurnId, said: Word): string {
  const word = JSON.stringify([turnId, ...partsOf(said)]);
  return createHash("sha256").update(word).digest("base64");
}

function partsOf(said: Word): unknown[] {
  switch (said.type) {
    case "question:closed":
      return [said.questionId, said.answer];
    case "approval:closed":
      return [said.approvalId, said.decision, said.reason ?? ""];
    default:
      return [said.messageId, said.text];
  }
}
