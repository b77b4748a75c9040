import type { ChatSession, ProjectId } from "@gadget/api";

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
    if (word === "needs you" || word === "interrupted") {
      sections.needsYou.push(session);
    } else if (word === "working" || word === "aborting") {
      sections.running.push(session);
    } else {
      sections.recent.push(session);
    }
  }
  return sections;
}

/** Groups sessions under their projects; both stay in the order in which they were worked in. */
export function byProject(
  sessions: readonly ChatSession[],
): { projectId: ProjectId; sessions: ChatSession[] }[] {
  const groups = new Map<ProjectId, ChatSession[]>();
  for (const session of sessions) {
    const { projectId } = session;
    groups.set(projectId, [...(groups.get(projectId) ?? []), session]);
  }
  return [...groups].map(([projectId, of]) => ({ projectId, sessions: of }));
}
