import type { Person, TurnId } from "@gadget/api";
import { move } from "./settle.ts";
import type { AbortIntent } from "./state/abort-intent.ts";
import type { Arrival } from "./state/live-turns.ts";
import { rememberTurn } from "./state/remember-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

interface Asked {
  turnId: TurnId;
  by: Person;
  /** The state that the turn is in, most likely. */
  from: "queued" | "processing";
  /** The prompt is still on its way into the database: the abort follows it there. */
  behind?: Arrival;
}

/**
 * Keeps that somebody asked for an abort: in memory at once, so that whoever looks or claims sees
 * it, and in the database as soon as that takes it. The first one who asks is kept.
 */
export function askAbort(context: TurnContext, asked: Asked): AbortIntent {
  const { live, log } = context;
  const { turnId, by } = asked;
  const at = context.now();
  const stored = store(context, asked, at).catch((error: unknown) => {
    live.forgetAbort(turnId, intent);
    intent.failure = error;
    log.error({ err: error, turnId }, "an abort could not be stored yet");
    return undefined;
  });
  const intent: AbortIntent = { by, at, stored };
  live.askAbort(turnId, intent);
  return intent;
}

async function store(
  context: TurnContext,
  { turnId, by, from, behind }: Asked,
  at: Date,
): ReturnType<typeof move> {
  await behind?.stored;
  const asked = { abortRequestedAt: at, abortedBy: by };
  const unset = ["waitingFor"] as const;
  const turn = await move(context, turnId, { signal: "abort", asked, from }, { unset });
  // Where the end has come already, that one tells the lists.
  if (turn?.status === "aborting" && context.live.get(turnId)?.isEnding !== true) {
    rememberTurn(context, turn).catch((error: unknown) => {
      context.log.error({ err: error, turnId }, "the lists don't show an abort yet");
    });
  }
  return turn;
}
