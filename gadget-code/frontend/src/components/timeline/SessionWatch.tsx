import { isSettled } from "@gadget/api";
import { useEffect, useRef } from "react";
import { useUser } from "../../lib/auth.ts";
import { notify } from "../../lib/notify.ts";
import { useSession } from "../../session/session-context.ts";
import { openApproval, openQuestion, statusOf, type TurnEntry } from "../../session/turn-entry.ts";
import { markSeen } from "../sessions/seen-store.ts";

interface News {
  /** The same piece of news has the same name wherever it is seen. */
  name: string;
  words: string;
}

function newsOf(entry: TurnEntry): News | undefined {
  const { id } = entry.turn;
  const question = openQuestion(entry);
  if (question !== undefined) {
    return { name: `${id}/${question.id}`, words: "A question waits for you" };
  }
  const approval = openApproval(entry);
  if (approval !== undefined) {
    return { name: `${id}/${approval.id}`, words: "An approval waits for you" };
  }
  switch (statusOf(entry)) {
    case "finished":
      return { name: `${id}/end`, words: "The turn is finished" };
    case "error":
      return { name: `${id}/end`, words: "The turn failed" };
    default:
      return undefined;
  }
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
  const { name, words } = (entry && newsOf(entry)) ?? {};
  const isOver = entry !== undefined && isSettled(statusOf(entry));
  const isOwnAbort = entry?.turn.abortedBy?.id === user.id;
  const { id: sessionId, title = "" } = session ?? {};
  const wasRunning = useRef<string>(undefined);

  useEffect(() => {
    if (sessionId !== undefined && turnId !== undefined && !document.hidden) {
      markSeen(sessionId, turnId);
    }
    // What had ended before the page was opened is no news.
    if (turnId !== undefined && !isOver) {
      wasRunning.current = turnId;
    }
    if (name !== undefined && words !== undefined && wasRunning.current === turnId && !isOwnAbort) {
      notify(name, title, words);
    }
  }, [sessionId, turnId, isOver, name, words, isOwnAbort, title]);

  return null;
}
