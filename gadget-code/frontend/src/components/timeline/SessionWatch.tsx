import { isSettled, type TurnStatus } from "@gadget/api";
import { useEffect, useRef } from "react";
import { useUser } from "../../lib/auth.ts";
import { useSession } from "../../session/session-context.ts";
import { openApproval, openQuestion, statusOf, type TurnEntry } from "../../session/turn-entry.ts";
import { markSeen } from "../sessions/seen-store.ts";
import { notify, offerNotifications } from "./notify.ts";

type News = "question" | "approval" | "finished" | "error";

const words: Record<News, string> = {
  question: "A question waits for you",
  approval: "An approval waits for you",
  finished: "The turn is finished",
  error: "The turn failed",
};

function newsOf(entry: TurnEntry): News | undefined {
  if (openQuestion(entry)) {
    return "question";
  }
  if (openApproval(entry)) {
    return "approval";
  }
  const status: TurnStatus = statusOf(entry);
  return status === "finished" || status === "error" ? status : undefined;
}

/** Remembers what was looked at, and tells of news while the page is hidden. It renders nothing. */
export function SessionWatch() {
  const user = useUser();
  const session = useSession((state) => state.session);
  const entry = useSession((state) => {
    const last = state.order.at(-1);
    return last === undefined ? undefined : state.turns.get(last);
  });
  const turnId = entry?.turn.id;
  const news = entry && newsOf(entry);
  const wasRunning = useRef<string>(undefined);

  useEffect(() => {
    if (session && turnId && !document.hidden) {
      markSeen(session.id, turnId);
    }
  }, [session, turnId, news]);

  useEffect(() => {
    if (entry === undefined) {
      return;
    }
    const isOver = isSettled(statusOf(entry));
    // What had ended before the page was opened is no news.
    if (!isOver) {
      wasRunning.current = entry.turn.id;
    }
    if (wasRunning.current !== entry.turn.id) {
      return;
    }
    const { startedAt, settledAt, abortedBy } = entry.turn;
    if (news !== undefined && abortedBy?.id !== user.id) {
      notify(session?.title ?? "", words[news]);
    }
    if (isOver && startedAt && settledAt) {
      offerNotifications(Date.parse(settledAt) - Date.parse(startedAt));
      wasRunning.current = undefined;
    }
    // oxlint-disable-next-line react/exhaustive-deps, react/exhaustive-effect-dependencies -- news, not every token
  }, [news, turnId, entry && isSettled(statusOf(entry))]);

  return null;
}
