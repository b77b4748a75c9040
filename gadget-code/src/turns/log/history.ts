import {
  applyEvents,
  type CallId,
  emptyTranscript,
  fullLog,
  type HistoryMessage,
  type HistoryPage,
  type Part,
  RefusalError,
  type SessionId,
  summaryNote,
  type Transcript,
  TurnId,
} from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredSession } from "../../models/chat-session.ts";
import type { StoredTurn } from "../../models/chat-turn.ts";
import type { Models } from "../../models/models.ts";
import { eventPages } from "./log-events.ts";
import { shortened, shortPart } from "./shortened.ts";

/** A work order carries this much of the conversation; older pages are asked for. */
const pageBytes = 1_000_000;

/** What the model is told of a turn that did not come to its end by itself (A30). */
const endings: Partial<Record<StoredTurn["status"], string>> = {
  aborted:
    "The user aborted this turn before it was complete. What was under way was stopped; do not take it up again unless asked.",
  interrupted:
    "This turn was cut off because its worker was lost. What was under way may or may not have happened; check before repeating it.",
  error: "This turn ended with an error before it was complete.",
};

/** `keep` gives what is needed of a part; it is asked page by page, so that the rest is let go. */
async function reduced(
  models: Models,
  turnId: TurnId,
  keep: (part: Part) => Part,
): Promise<Transcript> {
  let transcript = emptyTranscript(turnId);
  for await (const events of eventPages(models, turnId, 0)) {
    const { parts, ...rest } = applyEvents(transcript, events).transcript;
    transcript = { ...rest, parts: parts.map(keep) };
  }
  return transcript;
}

export function transcriptOf(models: Models, turn: StoredTurn): Promise<Transcript> {
  return reduced(models, turn._id, (part) => part);
}

/** What is shown of a turn at first. */
export async function firstLookAt(models: Models, turn: StoredTurn): Promise<Transcript> {
  return shortened(await reduced(models, turn._id, shortPart));
}

/** The model is not told what a command printed for people, nor what a file looked like before. */
function toldPart(part: Part): Part {
  const ended = part.kind === "tool" && part.state === "ended";
  return ended ? { ...part, output: "", diff: undefined } : part;
}

/** Turns that are looked up together; their logs are read one after the other. */
const atOnce = 8;

/**
 * The newest part of what the model should see of the session's turns before this one, oldest
 * first; `cursor` leads to what comes before it. Only the turns of the page are read.
 */
export async function historyPage(
  models: Models,
  sessionId: SessionId,
  before: StoredTurn,
  cursor: string | undefined,
): Promise<HistoryPage> {
  const summary = await summaryOf(models, sessionId);
  const createdAt = { $lt: before.createdAt, ...summary?.since };
  const place = cursor === undefined ? undefined : await placeOf(models, sessionId, cursor);
  const page = new NewestFirst();
  let last = place?.turn;
  for (let isFirst = true; ; isFirst = false) {
    const older = last === undefined ? {} : upTo(last, isFirst);
    const turns = await models.turns
      .find({ $and: [{ sessionId, createdAt }, older] })
      .sort({ createdAt: -1, _id: -1 })
      .limit(atOnce)
      .lean<StoredTurn[]>();
    last = turns.at(-1);
    for (const turn of turns) {
      const messages = await turnMessages(models, turn, summary);
      const end = turn._id === place?.turn._id ? place.end : messages.length;
      const rest = page.add(messages.slice(0, end));
      if (rest > 0) {
        return { messages: page.messages, cursor: `${turn._id}:${rest}` };
      }
    }
    if (turns.length < atOnce) {
      break;
    }
  }
  const opening = summary === undefined || summary.throughStep ? [] : [summary.message];
  return { messages: [...opening, ...page.messages], cursor: null };
}

/** A page that is filled from its end; the last message is taken however long it is. */
class NewestFirst {
  messages: HistoryMessage[] = [];
  #bytes = 0;

  /** How many of these, the first ones, found no room. */
  add(messages: HistoryMessage[]): number {
    let start = messages.length;
    while (start > 0) {
      this.#bytes += JSON.stringify(messages[start - 1]).length;
      const isEmpty = this.messages.length === 0 && start === messages.length;
      if (this.#bytes > pageBytes && !isEmpty) {
        break;
      }
      start -= 1;
    }
    this.messages = [...messages.slice(start), ...this.messages];
    return start;
  }
}

/** Where the page before ended: so many messages of this turn are still to be told. */
async function placeOf(
  models: Models,
  sessionId: SessionId,
  cursor: string,
): Promise<{ turn: StoredTurn; end: number }> {
  const [, id, end] = /^([\w-]{1,100}):(\d{1,9})$/.exec(cursor) ?? [];
  const turnId = TurnId.safeParse(id);
  const turn = turnId.success
    ? await models.turns.findOne({ _id: turnId.data, sessionId }).lean<StoredTurn>()
    : null;
  if (turn === null) {
    throw new RefusalError("invalid", "There is no such page of the history.");
  }
  return { turn, end: Number(end) };
}

function upTo({ createdAt, _id }: StoredTurn, including: boolean): QueryFilter<StoredTurn> {
  const same = { createdAt, _id: including ? { $lte: _id } : { $lt: _id } };
  return { $or: [{ createdAt: { $lt: createdAt } }, same] };
}

async function turnMessages(
  models: Models,
  turn: StoredTurn,
  summary: Summary | undefined,
): Promise<HistoryMessage[]> {
  const cut = summary?.message.turnId === turn._id ? summary : undefined;
  const messages = messagesOf(turn, await reduced(models, turn._id, toldPart), cut);
  return messages.map((message) => ({ ...message, turnId: turn._id }));
}

interface Summary {
  message: HistoryMessage;
  /** Which turns it leaves, whole or in part. */
  since: { $gt: Date } | { $gte: Date };
  /** Of its own turn, the steps that it stands for; all of them, if there is none. */
  throughStep?: number | undefined;
}

/** What an earlier turn's compaction left: a summary, and how far it reaches. */
async function summaryOf(models: Models, sessionId: SessionId): Promise<Summary | undefined> {
  const session = await models.sessions.findById(sessionId, { compacted: 1 }).lean<StoredSession>();
  if (session?.compacted === undefined) {
    return undefined;
  }
  const { summary, throughTurnId, throughStep } = session.compacted;
  const through = await models.turns.findById(throughTurnId, { createdAt: 1 }).lean<StoredTurn>();
  if (through === null) {
    return undefined;
  }
  const { createdAt } = through;
  const since = throughStep === undefined ? { $gt: createdAt } : { $gte: createdAt };
  const text = summaryNote(summary);
  return { message: { role: "note", turnId: throughTurnId, text }, since, throughStep };
}

/** Why it ended is told where the model can do better. */
const endedFull =
  "This turn was ended because it had written as much as one turn may. Take smaller steps and print less.";

/** One turn's part of the conversation: its prompt, its steps, and how it was cut off. */
function messagesOf(
  turn: StoredTurn,
  transcript: Transcript,
  cut: Summary | undefined,
): HistoryMessage[] {
  const messages: HistoryMessage[] = [];
  if (turn.kind === "compact") {
    return messages;
  }
  if (turn.continues === undefined) {
    messages.push({ role: "user", text: turn.prompt });
  }
  const steps = stepsOf(transcript.parts);
  const isCut = (step: readonly Part[]) => stepNumber(step) <= (cut?.throughStep ?? -1);
  if (cut !== undefined) {
    messages.push(...steps.filter(isCut).flatMap(steersOf), cut.message);
  }
  for (const step of steps.filter((one) => !isCut(one))) {
    messages.push(...stepMessages(step));
  }
  const ending = turn.errorMessage === fullLog ? endedFull : endings[turn.status];
  if (ending === undefined) {
    return messages;
  }
  // Without an answer the next prompt would be taken for a part of this one.
  const answered = messages.some(({ role }) => role === "assistant");
  if (!answered) {
    messages.push({ role: "assistant", text: "(No answer.)", toolCalls: [] });
  }
  messages.push({ role: "note", text: ending });
  return messages;
}

/** A step is one answer of the model and what its tool calls gave. Subagents keep their own. */
function stepsOf(parts: readonly Part[]): Part[][] {
  const steps: Part[][] = [];
  let current: number | undefined;
  for (const part of parts) {
    if ("agentId" in part && part.agentId !== undefined) {
      continue;
    }
    const step = "step" in part ? part.step : undefined;
    if (steps.length === 0 || (step !== undefined && step !== current)) {
      steps.push([]);
    }
    if (step !== undefined) {
      current = step;
    }
    steps.at(-1)?.push(part);
  }
  return steps;
}

function stepNumber(step: readonly Part[]): number {
  const numbered = step.find((part) => "step" in part && part.step !== undefined);
  return numbered !== undefined && "step" in numbered ? (numbered.step ?? 0) : 0;
}

function steersOf(step: readonly Part[]): HistoryMessage[] {
  return step.flatMap((part) =>
    part.kind === "message" && part.mode === "steer" ? [{ role: "user", text: part.text }] : [],
  );
}

function stepMessages(step: readonly Part[]): HistoryMessage[] {
  const text: string[] = [];
  const reasoning: string[] = [];
  const toolCalls: { id: CallId; name: string; input: unknown }[] = [];
  const results: HistoryMessage[] = [];
  const after = steersOf(step);
  for (const part of step) {
    if (part.kind === "text") {
      text.push(part.text);
    }
    if (part.kind === "reasoning") {
      reasoning.push(part.text);
    }
    // A call whose arguments never came whole was never made.
    if (part.kind === "tool" && part.input !== undefined) {
      const { id, name, input, outcome = "unknown", result = "" } = part;
      toolCalls.push({ id, name, input });
      results.push({ role: "tool", callId: id, name, outcome, text: result });
    }
  }
  const said = text.join("\n");
  if (said === "" && toolCalls.length === 0) {
    return after;
  }
  const thought = reasoning.join("\n");
  const answer: HistoryMessage = {
    role: "assistant",
    text: said,
    ...(thought !== "" && { reasoning: thought }),
    toolCalls,
  };
  return [answer, ...results, ...after];
}
