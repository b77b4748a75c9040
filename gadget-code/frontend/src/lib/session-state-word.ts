import type { ChatSession } from "@gadget/api";

/** What a session is up to, as lists show it. */
export type SessionWord =
  | "idle"
  | "working"
  | "aborting"
  | "needs you"
  | "error"
  | "interrupted"
  | "aborted";

export function sessionWord({ lastTurn }: ChatSession): SessionWord {
  switch (lastTurn?.status) {
    case "queued":
    case "processing":
      return lastTurn.waitingFor === "question" || lastTurn.waitingFor === "approval"
        ? "needs you"
        : "working";
    case "aborting":
    case "error":
    case "interrupted":
    case "aborted":
      return lastTurn.status;
    default:
      return "idle";
  }
}

export interface SessionSections {
  needsYou: ChatSession[];
  running: ChatSession[];
  recent: ChatSession[];
}

export function sectionsOf(sessions: readonly ChatSession[]): SessionSections {
  const sections: SessionSections = { needsYou: [], running: [], recent: [] };
  for (const session of sessions) {
    const word = sessionWord(session);
    if (word === "needs you" || word === "interrupted") sections.needsYou.push(session);
    else if (word === "working" || word === "aborting") sections.running.push(session);
    else sections.recent.push(session);
  }
  return sections;
}

/** Groups sessions, latest first, under the days on which they changed. */
export function byDay(
  sessions: readonly ChatSession[],
  now = new Date(),
): { day: string; sessions: ChatSession[] }[] {
  const groups = new Map<string, ChatSession[]>();
  for (const session of sessions) {
    const day = dayOf(new Date(session.updatedAt), now);
    groups.set(day, [...(groups.get(day) ?? []), session]);
  }
  return [...groups].map(([day, of]) => ({ day, sessions: of }));
}

const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

function dayOf(date: Date, now: Date): string {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const passed = midnight - date.getTime();
  if (passed <= 0) return "Today";
  if (passed <= 86_400_000) return "Yesterday";
  if (passed <= 6 * 86_400_000) return "This week";
  return month.format(date);
}
