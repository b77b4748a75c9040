import { abortMessages, isSettled, RefusalError } from "@gadget/api";
import { type StoredTurn, turnShownTo, turnToWire } from "../../models/chat-turn.ts";
import { personOf } from "../../models/user.ts";
import { audit } from "../../people/audit.ts";
import { endableBy, ownedBy } from "../../people/owned.ts";
import { abort } from "../../turns/abort.ts";
import { forceStop } from "../../turns/force-stop.ts";
import { firstEvents } from "../../turns/log/log-events.ts";
import { shownTurn } from "../../turns/state/shown-turn.ts";
import { submit } from "../../turns/submit.ts";
import type { HttpContext } from "../http-context.ts";
import { largeRead } from "../large-read.ts";
import { listPage } from "../list-page.ts";
import type { Handlers } from "../router.ts";
import { streamEvents } from "../stream-events.ts";

/** A page of a log, unless it is asked to be smaller. */
const mostEvents = 1_000;
const mostCharacters = 4_000_000;

export function turnHandlers(context: HttpContext) {
  const { models, limits } = context;
  const toWire = (turn: StoredTurn) => turnToWire(shownTurn(context.live, turn));
  return {
    listSessionTurns: async ({ user, params: { id }, query }) => {
      const { _id: sessionId, owner } = await ownedBy(models, user._id).session(id);
      return listPage(models.turns, { owner, sessionId }, query, toWire);
    },
    submitTurn: async ({ user, params: { id }, body }) => {
      const admitted = limits.prompt(user._id, body.prompt);
      return { turn: turnToWire(await submit(context, user._id, id, body, admitted)) };
    },
    compactSession: async ({ user, params: { id } }) => {
      await limits.prompt(user._id);
      return { turn: turnToWire(await submit(context, user._id, id, { kind: "compact" })) };
    },
    listTurns: ({ user, query: { status, ...page } }) =>
      listPage(models.turns, { owner: user._id, ...(status && { status }) }, page, toWire),
    getTurn: async ({ user, params: { id } }) => ({
      turn: toWire(await ownedBy(models, user._id).turn(id)),
    }),
    listEvents: async ({ user, credential, params: { id }, query, req, res }) => {
      const turn = await ownedBy(models, user._id).turn(id);
      const after = placeOf(query.cursor) ?? query.after ?? 0;
      if (req.accepts(["application/json", "text/event-stream"]) === "text/event-stream") {
        const place = placeOf(req.get("last-event-id")) ?? after;
        await streamEvents(context, { user, credential, req, res }, turn._id, place);
        return undefined;
      }
      await largeRead(limits, user._id, res);
      const { limit: events = mostEvents } = query;
      const most = { events, characters: mostCharacters };
      const { events: items, more } = await firstEvents(models, turn._id, after, most);
      const last = items.at(-1);
      return { items, nextCursor: more && last !== undefined ? String(last.seq) : null };
    },
    cancelTurn: async ({ user, params: { id }, query: { force }, req }) => {
      const by = personOf(user);
      const may = () => endableBy(models, user._id);
      const entry = { by, address: req.ip, subject: id };
      if (force === "true") {
        const turn = await forceStop(context, id, by, may);
        audit(context, { action: "turn stopped by force", ...entry });
        return { turn: turnShownTo(turn, user._id), message: turn.status };
      }
      const { turn, success, message } = await abort(context, id, by, may);
      if (turn === undefined) {
        throw new RefusalError(
          "unavailable",
          "The database does not answer. The turn is aborted as soon as it does.",
        );
      }
      if (!success && isSettled(turn.status)) {
        throw new RefusalError(
          "not_running",
          `${abortMessages.notRunning}: the turn is ${turn.status}.`,
          { status: turn.status },
        );
      }
      audit(context, { action: "turn aborted", ...entry, detail: message });
      return { turn: turnShownTo(turn, user._id), message };
    },
  } satisfies Handlers;
}

/** A place in a turn's log; undefined where none was given. */
function placeOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") {
    return undefined;
  }
  if (/^\d{1,15}$/.test(text)) {
    return Number(text);
  }
  throw new RefusalError("invalid", "The place of an event is its seq, a whole number.");
}
