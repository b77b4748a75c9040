import {
  type ChatSession,
  type ChatTurn,
  emptyTranscript,
  type JoinedSession,
  type Member,
  ProjectId,
  SessionId,
  type TurnEvent,
  type TurnEventBody,
  TurnId,
  UserId,
} from "@gadget/api";

const at = "2026-01-02T03:04:05.000Z";

export const sessionId = SessionId.parse("session-1");
export const turnId = TurnId.parse("turn-0001");
export const otherTurnId = TurnId.parse("turn-0002");

export const user: Member = {
  id: UserId.parse("user-0001"),
  email: "ada@example.org",
  name: "Ada",
  role: "owner",
  createdAt: at,
};

export const session: ChatSession = {
  id: sessionId,
  projectId: ProjectId.parse("project-1"),
  droneId: null,
  title: "A session",
  providerId: null,
  model: "demo",
  approval: "edits",
  createdAt: at,
  updatedAt: at,
};

export function sampleTurn(change: Partial<ChatTurn> = {}): ChatTurn {
  return {
    id: turnId,
    sessionId,
    projectId: session.projectId,
    droneId: null,
    prompt: "Say hello",
    status: "processing",
    createdAt: at,
    startedAt: at,
    usage: { inputTokens: 0, outputTokens: 0 },
    filesChanged: [],
    ...change,
  };
}

export function joinedWith(...turns: ChatTurn[]): JoinedSession {
  return {
    session,
    turns: turns.map((turn) => ({ turn, transcript: emptyTranscript(turn.id) })),
    missed: [],
    queue: [],
  };
}

/** Numbers bodies from `first` on, as a drone does. */
export function numbered(first: number, ...bodies: TurnEventBody[]): TurnEvent[] {
  return bodies.map((body, index) => ({ turnId, seq: first + index, epoch: 1, at, ...body }));
}

export function delta(text: string): TurnEventBody {
  return { type: "text:delta", partId: "p1", text };
}

export const textStart: TurnEventBody = { type: "text:start", partId: "p1" };
