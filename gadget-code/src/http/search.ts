import {
  RefusalError,
  type SearchHit,
  type SessionId,
  type TurnId,
  type UserId,
} from "@gadget/api";
import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { Models } from "../models/models.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage, type Page } from "./list-page.ts";
import type { Handlers } from "./router.ts";

const aroundHit = 80;
/** So many logs are looked at for one page of hits; the newest come first. */
const mostLogs = 2_000;

/** Words in one's own titles first, then in prompts and answers; the newest first in each. */
export function searchHandlers({ models }: HttpContext) {
  return {
    search: async ({ user, query: { q, sessionId, limit = 50, cursor } }) => {
      const first = sessionId === undefined ? "titles:" : "turns:";
      const [, list, place] = /^(titles|turns):(.*)$/.exec(cursor ?? first) ?? [];
      if (list === undefined || place === undefined) {
        throw new RefusalError(
          "invalid",
          "Not valid: cursor: use the nextCursor of the page before.",
        );
      }
      const page = { limit, ...(place !== "" && { cursor: place }) };
      const words = new RegExp(escaped(q), "i");
      const where = { owner: user._id, ...(sessionId !== undefined && { sessionId }) };
      if (list === "turns") return inTurns(models, where, words, page);
      const titles = await inTitles(models, user._id, words, page);
      if (titles.nextCursor !== null || titles.items.length >= limit) return titles;
      const rest = { limit: limit - titles.items.length };
      const turns = await inTurns(models, where, words, rest);
      return { items: [...titles.items, ...turns.items], nextCursor: turns.nextCursor };
    },
  } satisfies Handlers;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

interface Hits {
  items: SearchHit[];
  nextCursor: string | null;
}

async function inTitles(models: Models, owner: UserId, words: RegExp, page: Page): Promise<Hits> {
  const toHit = ({ _id, title }: StoredSession): SearchHit => ({
    sessionId: _id,
    title,
    excerpt: excerptOf(title, words),
  });
  const filter = { owner, title: words };
  const found = await listPage(models.sessions, filter, page, toHit, { by: "updatedAt" });
  const { items, nextCursor } = found;
  if (nextCursor !== null) return { items, nextCursor: `titles:${nextCursor}` };
  return { items, nextCursor: items.length === page.limit ? "turns:" : null };
}

interface Where {
  owner: UserId;
  sessionId?: SessionId;
}

async function inTurns(models: Models, where: Where, words: RegExp, page: Page): Promise<Hits> {
  const answers = await answersWith(models, where, words);
  const filter = { ...where, $or: [{ prompt: words }, { _id: { $in: [...answers.keys()] } }] };
  const keep = (turn: StoredTurn): StoredTurn => turn;
  const { items, nextCursor } = await listPage(models.turns, filter, page, keep);
  const titles = await titlesOf(models, where.owner, items);
  return {
    items: items.map(({ _id, sessionId, prompt }) => ({
      sessionId,
      turnId: _id,
      title: titles.get(sessionId) ?? "",
      excerpt: excerptOf(words.test(prompt) ? prompt : (answers.get(_id) ?? ""), words),
    })),
    nextCursor: nextCursor === null ? null : `turns:${nextCursor}`,
  };
}

/** The first text of each turn that has the words. Only what the agent said: no tool output. */
async function answersWith(
  models: Models,
  where: Where,
  words: RegExp,
): Promise<Map<TurnId, string>> {
  const { owner, sessionId } = where;
  const of = sessionId === undefined ? {} : { turnId: { $in: await turnsOf(models, where) } };
  const batches = await models.batches
    .find({ owner, ...of, events: { $elemMatch: { type: "text:end", text: words } } })
    .limit(mostLogs)
    .lean();
  const answers = new Map<TurnId, string>();
  for (const { turnId, events } of batches) {
    for (const event of events) {
      if (event.type !== "text:end" || answers.has(turnId) || !words.test(event.text)) continue;
      answers.set(turnId, event.text);
    }
  }
  return answers;
}

async function turnsOf(models: Models, where: Where): Promise<TurnId[]> {
  const turns = await models.turns.find(where, { _id: 1 }).lean();
  return turns.map(({ _id }) => _id);
}

async function titlesOf(
  models: Models,
  owner: UserId,
  turns: StoredTurn[],
): Promise<Map<SessionId, string>> {
  const ids = [...new Set(turns.map(({ sessionId }) => sessionId))];
  const sessions = await models.sessions.find({ _id: { $in: ids }, owner }, { title: 1 }).lean();
  return new Map(sessions.map(({ _id, title }) => [_id, title]));
}

function excerptOf(text: string, words: RegExp): string {
  const match = words.exec(text);
  if (match === null) return text.slice(0, 2 * aroundHit);
  const from = Math.max(0, match.index - aroundHit);
  const to = Math.min(text.length, match.index + match[0].length + aroundHit);
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}
