import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  brokenCover,
  type ChatTurn,
  isSettled,
  isTerminal,
  RefusalError,
  type TurnEvent,
} from "@gadget/api";
import type { Stack } from "../../support/stack.ts";
import { textOf, transcriptOf } from "../../support/turn-watch.ts";
import { type PlannedModel, storyOf } from "./planned-model.ts";
import type { LivedTurn } from "./session-life.ts";

/** How late a clock may be read on a busy machine, in milliseconds. */
const scheduling = 2_000;

/** What is wrong with one turn of the chaos now that everything is well again. */
export async function turnFaults(
  stack: Stack,
  model: PlannedModel,
  lived: LivedTurn,
  graceMs: number,
): Promise<string[]> {
  const turn = await stack.turn(lived.id).catch((error: unknown) => {
    if (error instanceof RefusalError && error.code === "not_found") {
      return undefined;
    }
    throw error;
  });
  if (turn === undefined) {
    return lived.taken ? ["its prompt was acknowledged and is gone"] : [];
  }
  const stored = await stack.events(lived.id);
  const found = [
    ...ofLog(turn, stored),
    ...ofPage(lived, turn, stored),
    ...(await ofWork(model, lived, turn, graceMs)),
  ];
  if (turn.prompt !== lived.prompt) {
    found.push(`its prompt is "${turn.prompt}"`);
  }
  return found;
}

function* ofLog(turn: ChatTurn, stored: readonly TurnEvent[]): Generator<string> {
  if (!isSettled(turn.status)) {
    yield `it is ${turn.status}`;
  }
  const ends = stored.filter(isTerminal);
  if (ends.length !== 1) {
    yield `it has ${ends.length} terminal events`;
  }
  const last = stored.at(-1);
  if (last === undefined || !isTerminal(last)) {
    yield `${last?.type} is its last event`;
  }
  if (last?.type === "turn:changed" && last.status !== turn.status) {
    yield `it is ${turn.status}, and its log ends ${last.status}`;
  }
  if (brokenCover([...stored], 0) !== undefined) {
    yield "its log has a gap";
  }
}

function* ofPage(
  { plan, watch }: LivedTurn,
  turn: ChatTurn,
  stored: readonly TurnEvent[],
): Generator<string> {
  yield* watch.faults;
  const shown = JSON.stringify(transcriptOf(turn.id, watch.events));
  const kept = transcriptOf(turn.id, stored);
  if (shown !== JSON.stringify(kept)) {
    yield "what was shown is not what is stored";
  }
  if (watch.takenBack > 0 && !wasGivenUp(turn)) {
    yield `${watch.takenBack} events were shown and are not stored`;
  }
  if (plan.kind === "text") {
    const text = textOf(kept);
    const story = storyOf(plan);
    const right = turn.status === "finished" ? text === story : story.startsWith(text);
    if (!right) {
      yield `${turn.status} with "${text}" of ${plan.words} words`;
    }
  }
}

async function ofWork(
  model: PlannedModel,
  { plan, folder, signaledAt }: LivedTurn,
  turn: ChatTurn,
  graceMs: number,
): Promise<string[]> {
  const found: string[] = [];
  const began = await readFile(join(folder, `${plan.key}.began`), "utf8").catch(() => "");
  const lastBegan = Math.max(0, ...began.split("\n").map(Number));
  const lastBeat = (await stat(join(folder, `${plan.key}.beat`)).catch(() => undefined))?.mtimeMs;
  const lastSign = Math.max(lastBegan, Math.floor(lastBeat ?? 0));
  const settledAt = Date.parse(turn.settledAt ?? "");
  // Of a drone that could not be asked the server knows only that its own grace ends its work.
  const end = settledAt + (wasGivenUp(turn) ? graceMs + scheduling : 0);
  if (lastSign > end) {
    found.push(`its commands ran ${lastSign - settledAt} ms after its end`);
  }
  const asked = model.askedAt.get(plan.key) ?? 0;
  if (asked > end) {
    found.push(`its model was asked ${asked - settledAt} ms after its end`);
  }
  if (signaledAt !== undefined) {
    const late = Math.max(lastBegan, asked) - signaledAt;
    if (late > scheduling) {
      found.push(`something of it began ${late} ms after its abort`);
    }
  }
  return found;
}

/** The server settled it without its drone's word. */
function wasGivenUp({ status, stopped }: ChatTurn): boolean {
  return status === "interrupted" || (status === "aborted" && stopped === undefined);
}
