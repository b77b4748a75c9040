import { setTimeout as delay } from "node:timers/promises";
import {
  applyEvent,
  applyEvents,
  type ChatTurn,
  coverStart,
  emptyTranscript,
  isSettled,
  type Transcript,
  type TurnEvent,
  type TurnId,
} from "@gadget/api";
import type { CommandContext } from "../command-context.ts";
import { openScreen, type Screen } from "../print/screen.ts";
import { TurnPrinter } from "../print/turn-printer.ts";
import { activity } from "./activity.ts";
import type { CancelKey } from "./cancel-key.ts";
import { Desk } from "./desk.ts";
import { explainWait } from "./explain-wait.ts";
import { followTurn } from "./follow-turn.ts";
import { type OpenPart, openParts } from "./open-parts.ts";
import { persist } from "./persist.ts";
import { readEvents } from "./read-events.ts";

export interface WatchOptions {
  context: CommandContext;
  turnId: TurnId;
  /** ask: put questions before the person · leave: end at one · pass: somebody else answers */
  questions: "ask" | "leave" | "pass";
  cancelKey?: CancelKey;
}

/** The turn as it was at the end, and what it waits for where that is a person. */
export interface Watched {
  turn: ChatTurn;
  waiting?: OpenPart;
}

const patienceMs = 60_000;
/** What is shown is written down this much later at most, unless the database is slow. */
const notedMs = 5_000;
const notedPollMs = 50;

/** Shows a turn until it settles, or until it waits for a person who can't be asked. */
export async function watchTurn(options: WatchOptions): Promise<Watched> {
  const { context, turnId } = options;
  const screen = openScreen(context);
  try {
    const waiting = await show(options, screen);
    if (waiting === undefined) {
      return { turn: await readTurn(context, turnId) };
    }
    return { turn: await readWaitingTurn(context, turnId), waiting };
  } finally {
    screen.lines.endLine();
    screen.spinner.stop();
  }
}

/**
 * An event is shown before the turn is noted to wait for it. Who leaves now and sends the answer with
 * the next command must find the turn waiting.
 */
async function readWaitingTurn(context: CommandContext, turnId: TurnId): Promise<ChatTurn> {
  const deadline = performance.now() + notedMs;
  for (;;) {
    const turn = await readTurn(context, turnId);
    const isNoted = turn.waitingFor !== undefined || isSettled(turn.status);
    if (isNoted || performance.now() > deadline) {
      return turn;
    }
    await delay(notedPollMs, undefined, { signal: context.signal });
  }
}

async function readTurn({ client, signal }: CommandContext, turnId: TurnId): Promise<ChatTurn> {
  const { turn } = await persist(
    () => client.request("getTurn", { params: { id: turnId }, signal }),
    { patienceMs, signal },
  );
  return turn;
}

async function show(
  { context, turnId, questions, cancelKey }: WatchOptions,
  screen: Screen,
): Promise<OpenPart | undefined> {
  const { client, style, json } = context;
  const { lines, spinner, note } = screen;
  const left = new AbortController();
  const signal = AbortSignal.any([context.signal, left.signal]);
  const printer = new TurnPrinter({ lines, style });
  const desk =
    questions === "ask"
      ? new Desk({ context, turnId, screen, onLeft: () => left.abort() })
      : undefined;
  cancelKey?.listen({ onCancel: () => desk?.close(), note });
  const hint = (): string => cancelKey?.hint ?? "Ctrl-C leaves, the turn goes on";
  const onLost = (lost: boolean) =>
    note(lost ? `${client.server} does not answer; trying again...` : "Connected again.");
  let transcript = emptyTranscript(turnId);
  let ended = false;
  const isQueued = () => !ended && transcript.status === "queued";
  void explainWait(context, turnId, isQueued, (words) => note(`The turn ${words}.`));
  const take = (event: TurnEvent) => {
    const { transcript: next, applied } = applyEvent(afterGap(transcript, event), event);
    transcript = next;
    if (applied === "duplicate") {
      return;
    }
    if (json) {
      context.printJson(event);
    } else {
      printer.print(event);
    }
    if (applied === "rewound") {
      note('Some of this was lost with its drone; "gadget show" has the rest.');
    }
  };
  try {
    for await (const events of followTurn({ client, turnId, signal, onLost })) {
      events.forEach(take);
      desk?.update(transcript);
      spinner.say([activity(transcript), hint()].filter((part) => part !== "").join(" · "));
      if (questions !== "leave" || cancelKey?.pressed) {
        continue;
      }
      const waiting = await stillOpen(client, transcript, signal);
      if (waiting !== undefined) {
        return waiting;
      }
    }
    return undefined;
  } catch (error) {
    if (context.signal.aborted || !left.signal.aborted) {
      throw error;
    }
    return openParts(transcript)[0];
  } finally {
    ended = true;
    desk?.close();
  }
}

/** After a reconnection it may have been closed already, by an event that is still on its way. */
async function stillOpen(
  client: CommandContext["client"],
  transcript: Transcript,
  signal: AbortSignal,
): Promise<OpenPart | undefined> {
  if (openParts(transcript).length === 0) {
    return undefined;
  }
  const { turnId, lastSeq } = transcript;
  const later = await persist(() => readEvents(client, turnId, lastSeq, signal), {
    patienceMs,
    signal,
  });
  return openParts(applyEvents(transcript, later).transcript)[0];
}

/** What follows a gap that the log has too is taken as it is. */
function afterGap(transcript: Transcript, event: TurnEvent): Transcript {
  const before = coverStart(event) - 1;
  return before > transcript.lastSeq ? { ...transcript, lastSeq: before } : transcript;
}
