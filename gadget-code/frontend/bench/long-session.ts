import {
  CallId,
  type ChatSession,
  type ChatTurn,
  emptyTranscript,
  type Part,
  ProjectId,
  SessionId,
  type TurnEvent,
  type TurnEventBody,
  TurnId,
  type TurnWithTranscript,
} from "@gadget/api";

const at = "2026-01-02T03:04:05.000Z";
export const sessionId = SessionId.parse("long-session");
const projectId = ProjectId.parse("long-project");
export const liveTurnId = TurnId.parse("live-turn");

export const session: ChatSession = {
  id: sessionId,
  projectId,
  droneId: null,
  title: "A long session",
  providerId: null,
  model: "demo",
  approval: "edits",
  createdAt: at,
  updatedAt: at,
};

function turn(id: TurnId, minute: number, status: ChatTurn["status"]): ChatTurn {
  return {
    id,
    sessionId,
    projectId,
    droneId: null,
    prompt: `Prompt number ${minute}`,
    status,
    createdAt: new Date(Date.parse(at) + minute * 60_000).toISOString(),
    startedAt: at,
    usage: { inputTokens: 1_000, outputTokens: 500 },
    filesChanged: [],
  };
}

function part(index: number): Part {
  if (index % 3 === 0) {
    const text = `Step ${index}: a **paragraph** with \`code\` and\n\n- a list\n- of two\n\n\`\`\`ts\nconst n = ${index};\n\`\`\``;
    return { kind: "text", id: `p${index}`, text, open: false };
  }
  return {
    kind: "tool",
    id: CallId.parse(`call-${index}`),
    name: index % 3 === 1 ? "shell" : "read_file",
    state: "ended",
    input: { command: `echo ${index}`, path: `src/file-${index}.ts` },
    output: `\u001b[32mline ${index}\u001b[0m\n`.repeat(20),
    outcome: "finished",
    durationMs: 12,
  };
}

/** Turns that have settled, oldest first, each with as many parts. */
export function longTurns(turns: number, parts: number): TurnWithTranscript[] {
  return Array.from({ length: turns }, (_, index) => {
    const id = TurnId.parse(`settled-turn-${index}`);
    const all = Array.from({ length: parts }, (_unused, of) => part(of));
    return {
      turn: turn(id, index, "finished"),
      transcript: { ...emptyTranscript(id), lastSeq: parts, parts: all, status: "finished" },
    };
  });
}

export function liveTurn(): TurnWithTranscript {
  return { turn: turn(liveTurnId, 5_000, "processing"), transcript: emptyTranscript(liveTurnId) };
}

export function liveEvent(seq: number, body: TurnEventBody): TurnEvent {
  return { turnId: liveTurnId, seq, epoch: 1, at, ...body };
}
