import { abortMessages, isSettled, RefusalError } from "@gadget/api";
import { turnShownTo, turnToWire } from "../models/chat-turn.ts";
import { audit } from "../people/audit.ts";
import { endableBy, ownedBy } from "../people/owned.ts";
import { abort } from "../turns/abort.ts";
import { readEvents } from "../turns/event-log.ts";
import { forceStop } from "../turns/force-stop.ts";
import { shownTurn } from "../turns/shown-turn.ts";
import { submit } from "../turns/submit.ts";
import { streamEvents } from "./event-stream.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage } from "./list-page.ts";
import type { Handlers } from "./router.ts";

export function turnHandlers(context: HttpContext) {
  const { models, limits } = context;
  return {
    listSessionTurns: async ({ user, params: { id }, query }) => {
      const { _id: sessionId, owner } = await ownedBy(models, user._id).session(id);
      return listPage(models.turns, { owner, sessionId }, query, turnToWire);
    },
    submitTurn: async ({ user, params: { id }, body }) => {
      await limits.prompt(user._id);
      return { turn: turnToWire(await submit(context, user._id, id, body)) };
    },
    listTurns: ({ user, query: { status, ...page } }) =>
      listPage(models.turns, { owner: user._id, ...(status && { status }) }, page, turnToWire),
    getTurn: async ({ user, params: { id } }) => ({
      turn: turnToWire(shownTurn(context.live, await ownedBy(models, user._id).turn(id))),
    }),
    listEvents: async ({ user, params: { id }, query, req, res }) => {
      const turn = await ownedBy(models, user._id).turn(id);
      const after = placeOf(query.cursor) ?? query.after ?? 0;
      if (req.accepts(["application/json", "text/event-stream"]) === "text/event-stream") {
        await streamEvents(context, turn._id, placeOf(req.get("last-event-id")) ?? after, req, res);
        return undefined;
      }
      const events = await readEvents(models, turn._id, after);
      const { limit = events.length } = query;
      const items = events.slice(0, limit);
      const last = items.at(-1);
      const more = events.length > limit && last !== undefined;
      return { items, nextCursor: more ? String(last.seq) : null };
    },
    cancelTurn: async ({ user, params: { id }, query: { force }, req }) => {
      const by = { id: user._id, name: user.name };
      const mine = endableBy(models, user._id);
      const deed = { by, address: req.ip, subject: id };
      if (force === "true") {
        const turn = await forceStop(context, id, by, await mine);
        audit(context, { action: "turn stopped by force", ...deed });
        return { turn: turnShownTo(turn, user._id), message: turn.status };
      }
      const { turn, success, message } = await abort(context, id, by, mine);
      if (!success && isSettled(turn.status)) {
        throw new RefusalError(
          "not_running",
          `${abortMessages.notRunning}: the turn is ${turn.status}.`,
          { status: turn.status },
        );
      }
      audit(context, { action: "turn aborted", ...deed, detail: message });
      return { turn: turnShownTo(turn, user._id), message };
    },
  } satisfies Handlers;
}

/** A place in a turn's log; undefined where none was given. */
function placeOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RefusalError("invalid", "Not valid: an event's place is a whole number, its seq.");
}
