import { type ChatTurn, RefusalError, TurnId, type WaitingFor } from "@gadget/api";
import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-code.ts";
import { plain } from "../print/style.ts";
import { turnLine } from "../print/turn-line.ts";
import { Problem } from "../problem.ts";
import { everyItem } from "./every-item.ts";
import { pick } from "./pick.ts";

/** How far back the beginning of an id is looked for. */
const lookedThrough = 1_000;

/** The turn with this id, or whose id begins so. */
export async function findTurn(context: CommandContext, text: string): Promise<ChatTurn> {
  const { client, signal } = context;
  const id = TurnId.safeParse(text);
  if (id.success) {
    try {
      return (await client.request("getTurn", { params: { id: id.data }, signal })).turn;
    } catch (error) {
      if (!(error instanceof RefusalError && error.code === "not_found")) {
        throw error;
      }
    }
  }
  const turns = await everyItem(
    (cursor) => client.request("listTurns", { query: { limit: 200, ...cursor }, signal }),
    lookedThrough,
  );
  return pick(turns, text, {
    noun: "turn",
    id: (turn) => turn.id,
    describe: (turn) => turnLine(turn, plain, Date.now()),
  });
}

/** The newest turn, whatever its state. */
export async function latestTurn({ client, signal }: CommandContext): Promise<ChatTurn> {
  const { items } = await client.request("listTurns", { query: { limit: 1 }, signal });
  const [turn] = items;
  if (turn !== undefined) {
    return turn;
  }
  throw new Problem('There is no turn yet. Start one: gadget run "…".', exitCodes.notFound);
}

/** The newest turn that runs or is about to; one that is being aborted only where no other is. */
export async function latestRunning(context: CommandContext): Promise<ChatTurn> {
  const [processing, queued, aborting] = await Promise.all([
    newestIn(context, "processing"),
    newestIn(context, "queued"),
    newestIn(context, "aborting"),
  ]);
  const running = [processing[0], queued[0]].filter((turn) => turn !== undefined);
  const [turn = aborting[0]] = running.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  if (turn !== undefined) {
    return turn;
  }
  throw new Problem("No turn is running.", exitCodes.notFound);
}

/** The newest turn that waits for an answer or an approval. */
export async function latestWaiting(
  context: CommandContext,
  waitingFor: WaitingFor & ("question" | "approval"),
): Promise<ChatTurn> {
  const running = await newestIn(context, "processing");
  const turn = running.find((one) => one.waitingFor === waitingFor);
  if (turn !== undefined) {
    return turn;
  }
  throw new Problem(`No turn waits for an answer to its ${waitingFor}.`, exitCodes.notFound);
}

async function newestIn(
  { client, signal }: CommandContext,
  status: ChatTurn["status"],
): Promise<ChatTurn[]> {
  return (await client.request("listTurns", { query: { status, limit: 50 }, signal })).items;
}
