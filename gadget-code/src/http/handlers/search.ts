import {
  RefusalError,
  type SearchHit,
  type SessionId,
  type TurnId,
  type UserId,
} from "@gadget/api";
import type { StoredSession } from "../../models/chat-session.ts";
import type { StoredTurn } from "../../models/chat-turn.ts";
import type { Models } from "../../models/models.ts";
import type { HttpContext } from "../http-context.ts";
import { badCursor, listPage, type Page, placeCursor } from "../list-page.ts";
import type { Handlers } from "../router.ts";

const aroundHit = 80;
/** After so long a search answers with what it has; the cursor goes on from there. */
const searchMs = 3_000;
/** No single question to the database takes longer, whoever still waits for it. */
const queryMs = 5_000;
/** Turns whose logs are read before the time is looked at again. */
const group = 5;

/** Words in one's own titles first, then in prompts and answers; the newest first in each. */
export function searchHandlers(context: HttpContext) {
  const { models, limits } = context;
  return {
    search: async ({ user, query: { q, sessionId, limit = 50, cursor }, res }) => {
      const first = sessionId === undefined ? "titles:" : "turns:";
      const [, list, place] = /^(titles|turns):(.*)$/.exec(cursor ?? first) ?? [];
      if (list === undefined || place === undefined) {
        throw new RefusalError("invalid", badCursor);
      }
      const page = { limit, ...(place !== "" && { cursor: place }) };
      const until = context.elapsed() + searchMs;
      const search = {
        models,
        where: { owner: user._id, ...(sessionId !== undefined && { sessionId }) },
        words: q.toLowerCase(),
        isOver: () => res.closed || context.elapsed() > until,
      };
      return limits.searches.run(user._id, async () => {
        if (list === "turns") {
          return inTurns(search, page);
        }
        const titles = await inTitles(search, q, page);
        if (titles.nextCursor !== null || titles.items.length >= limit) {
          return titles;
        }
        const turns = await inTurns(search, { limit: limit - titles.items.length });
        return { ...turns, items: [...titles.items, ...turns.items] };
      });
    },
  } satisfies Handlers;
}

interface Search {
  models: Models;
  where: { owner: UserId; sessionId?: SessionId };
  /** In small letters. */
  words: string;
  /** The time is over, or nobody waits for the answer any more. */
  isOver(): boolean;
}

interface Hits {
  items: SearchHit[];
  nextCursor: string | null;
  notSearchedBefore?: string;
}

/** Titles are short and few, so that the database may compare them. */
async function inTitles({ models, where, words }: Search, q: string, page: Page): Promise<Hits> {
  const toHit = ({ _id, title }: StoredSession): SearchHit => ({
    sessionId: _id,
    title,
    excerpt: excerptOf(title, words) ?? title,
  });
  const escaped = q.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const filter = { owner: where.owner, title: new RegExp(escaped, "i") };
  const order = { by: "updatedAt", maxTimeMS: queryMs } as const;
  const { items, nextCursor } = await listPage(models.sessions, filter, page, toHit, order);
  if (nextCursor !== null) {
    return { items, nextCursor: `titles:${nextCursor}` };
  }
  return { items, nextCursor: items.length === page.limit ? "turns:" : null };
}

/**
 * Reads prompts and answers, a few turns at a time, and compares them here: the database is asked
 * nothing that takes it long, and between two groups the search can end.
 */
async function inTurns(search: Search, { limit = 50, cursor }: Page): Promise<Hits> {
  const { models, where, words } = search;
  const found: { turn: StoredTurn; excerpt: string }[] = [];
  let place = cursor;
  for (;;) {
    const page = { limit: group, ...(place !== undefined && { cursor: place }) };
    const turns = await listPage(models.turns, where, page, keep, { maxTimeMS: queryMs });
    const answers = await answersWith(search, turns.items);
    for (const turn of turns.items) {
      const excerpt = excerptOf(turn.prompt, words) ?? answers.get(turn._id);
      if (excerpt === undefined) {
        continue;
      }
      found.push({ turn, excerpt });
      if (found.length < limit) {
        continue;
      }
      return { items: await hitsOf(search, found), nextCursor: `turns:${placeCursor(turn)}` };
    }
    if (turns.nextCursor === null) {
      return { items: await hitsOf(search, found), nextCursor: null };
    }
    place = turns.nextCursor;
    const last = turns.items.at(-1);
    if (!search.isOver() || last === undefined) {
      continue;
    }
    return {
      items: await hitsOf(search, found),
      nextCursor: `turns:${place}`,
      notSearchedBefore: last.createdAt.toISOString(),
    };
  }
}

const keep = (turn: StoredTurn): StoredTurn => turn;

/** The first text of each turn that has the words. Only what the agent said: no tool output. */
async function answersWith(
  { models, where: { owner }, words }: Search,
  turns: readonly StoredTurn[],
): Promise<Map<TurnId, string>> {
  const answers = new Map<TurnId, string>();
  const turnId = { $in: turns.map(({ _id }) => _id) };
  const batches = models.batches.find({ turnId, owner }).maxTimeMS(queryMs).lean().cursor();
  for await (const batch of batches) {
    for (const event of batch.events) {
      if (event.type !== "text:end" || answers.has(batch.turnId)) {
        continue;
      }
      const excerpt = excerptOf(event.text, words);
      if (excerpt !== undefined) {
        answers.set(batch.turnId, excerpt);
      }
    }
  }
  return answers;
}

async function hitsOf(
  { models, where: { owner } }: Search,
  found: readonly { turn: StoredTurn; excerpt: string }[],
): Promise<SearchHit[]> {
  const ids = [...new Set(found.map(({ turn }) => turn.sessionId))];
  const sessions = await models.sessions.find({ _id: { $in: ids }, owner }, { title: 1 }).lean();
  const titles = new Map(sessions.map(({ _id, title }) => [_id, title]));
  return found.map(({ turn: { _id, sessionId }, excerpt }) => ({
    sessionId,
    turnId: _id,
    title: titles.get(sessionId) ?? "",
    excerpt,
  }));
}

/** Undefined: the words are not there. */
function excerptOf(text: string, words: string): string | undefined {
  const at = text.toLowerCase().indexOf(words);
  if (at === -1) {
    return undefined;
  }
  const from = Math.max(0, at - aroundHit);
  const to = Math.min(text.length, at + words.length + aroundHit);
  const excerpt = text.slice(from, to).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  return `${from > 0 ? "…" : ""}${excerpt}${to < text.length ? "…" : ""}`;
}
