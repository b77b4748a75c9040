import { abortMessages, isSettled, RefusalError, type TurnId, type UserId } from "@gadget/api";
import { type StoredTurn, turnToWire } from "../models/chat-turn.ts";
import { abort } from "../turns/abort.ts";
import { readEvents } from "../turns/event-log.ts";
import { forceStop } from "../turns/force-stop.ts";
import { submit } from "../turns/submit.ts";
import { streamEvents } from "./event-stream.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage } from "./list-page.ts";
import type { Handlers } from "./router.ts";

export function turnHandlers(context: HttpContext): Handlers {
  const { models } = context;

  const turnOf = async (id: TurnId, owner: UserId): Promise<StoredTurn> => {
    const turn = await models.turns.findOne({ _id: id, owner }).lean<StoredTurn>();
    if (turn === null) throw new RefusalError("not_found", "There is no such turn.");
    return turn;
  };

  return {
    listSessionTurns: ({ user, params: { id }, query }) =>
      listPage(models.turns, { owner: user._id, sessionId: id }, query, turnToWire),
    submitTurn: async ({ user, params: { id }, body }) => ({
      turn: turnToWire(await submit(context, user._id, id, body)),
    }),
    listTurns: ({ user, query: { status, ...page } }) =>
      listPage(models.turns, { owner: user._id, ...(status && { status }) }, page, turnToWire),
    getTurn: async ({ user, params: { id } }) => ({ turn: turnToWire(await turnOf(id, user._id)) }),
    listEvents: async ({ user, params: { id }, query: { after = 0 }, req, res }) => {
      const turn = await turnOf(id, user._id);
      if (req.accepts(["application/json", "text/event-stream"]) === "text/event-stream") {
        const last = Number(req.headers["last-event-id"] ?? after);
        await streamEvents(context, turn._id, Number.isInteger(last) ? last : after, res);
        return undefined;
      }
      return { items: await readEvents(models, turn._id, after), nextCursor: null };
    },
    cancelTurn: async ({ user, params: { id }, query: { force } }) => {
      const by = { id: user._id, name: user.name };
      const mine = { owner: user._id };
      if (force === "true") {
        const turn = await forceStop(context, id, by, mine);
        return { turn: turnToWire(turn), message: turn.status };
      }
      const { turn, success, message } = await abort(context, id, by, mine);
      if (!success && isSettled(turn.status)) {
        throw new RefusalError(
          "not_running",
          `${abortMessages.notRunning}: the turn is ${turn.status}.`,
          {
            status: turn.status,
          },
        );
      }
      return { turn: turnToWire(turn), message };
    },
  };
}
