import * as z from "zod/mini";
import { Person, Stopped, Usage, WaitingFor } from "./chat-turn.ts";
import { coverStart, isTerminal } from "./cover.ts";
import { TurnId } from "./id.ts";
import { Instant } from "./instant.ts";
import { Part, type PartKind, type PartOf } from "./part.ts";
import { isSettled, TurnStatus } from "./turn.ts";
import { ModelWait, type TurnEvent } from "./turn-event.ts";

/** What a turn looks like after the events up to `lastSeq`: one reducer for page and server. */
export const Transcript = z.object({
  turnId: TurnId,
  lastSeq: z.int(),
  parts: z.array(Part),
  /** So many earlier parts were left out here; they are in the turn's events. */
  partsCut: z.optional(z.int()),
  status: TurnStatus,
  waitingFor: z.optional(WaitingFor),
  errorMessage: z.optional(z.string()),
  abortedBy: z.optional(Person),
  stopped: z.optional(Stopped),
  usage: z.optional(Usage),
  /** There while the turn stands still because of its model. */
  waiting: z.optional(z.extend(ModelWait, { at: Instant })),
  /** A summary that replaces the session's history up to and including this turn. */
  compacted: z.optional(
    z.object({ summary: z.string(), throughTurnId: TurnId, throughStep: z.optional(z.int()) }),
  ),
});
export type Transcript = z.infer<typeof Transcript>;

export function emptyTranscript(turnId: TurnId): Transcript {
  return { turnId, lastSeq: 0, parts: [], status: "queued" };
}

/**
 * - `applied`: the transcript now includes the event.
 * - `duplicate`: it was known; nothing changed.
 * - `gap`: numbers are missing before it; nothing changed. Fetch the events after `lastSeq`.
 * - `rewound`: the turn ended at or below a number that was shown (the tail of a lost drone was
 *   never stored). What is stored is the truth: fetch the turn again and replace this transcript.
 */
export type Applied = "applied" | "duplicate" | "gap" | "rewound";

export interface ApplyResult {
  transcript: Transcript;
  applied: Applied;
}

export function applyEvent(transcript: Transcript, event: TurnEvent): ApplyResult {
  const settled = isSettled(transcript.status);
  if (isTerminal(event) && event.seq <= transcript.lastSeq && !settled) {
    return { transcript: reduce(transcript, event), applied: "rewound" };
  }
  if (settled || event.seq <= transcript.lastSeq) {
    return { transcript, applied: "duplicate" };
  }
  if (coverStart(event) > transcript.lastSeq + 1) {
    return { transcript, applied: "gap" };
  }
  return { transcript: reduce(transcript, event), applied: "applied" };
}

export function applyEvents(transcript: Transcript, events: readonly TurnEvent[]): ApplyResult {
  let result: ApplyResult = { transcript, applied: "duplicate" };
  for (const event of events) {
    const next = applyEvent(result.transcript, event);
    if (next.applied === "gap") {
      return next;
    }
    const applied = next.applied === "duplicate" ? result.applied : next.applied;
    result = { transcript: next.transcript, applied };
  }
  return result;
}

function reduce(transcript: Transcript, event: TurnEvent): Transcript {
  const waiting = waitingAfter(transcript, event);
  return { ...change(transcript, event), waiting, lastSeq: event.seq };
}

/** It ends with the next thing that the agent does; what people do meanwhile does not end it. */
function waitingAfter({ waiting }: Transcript, event: TurnEvent): Transcript["waiting"] {
  switch (event.type) {
    case "notice":
      return event.waiting ? { ...event.waiting, at: event.at } : waiting;
    case "message:queued":
    case "message:steered":
    case "file:changed":
    case "history:compacted":
      return waiting;
    default:
      return undefined;
  }
}

function change(transcript: Transcript, event: TurnEvent): Transcript {
  switch (event.type) {
    case "turn:changed": {
      const { status, waitingFor, errorMessage, abortedBy, stopped } = event;
      return {
        ...transcript,
        parts: isTerminal(event) ? transcript.parts.map(closePart) : transcript.parts,
        status,
        waitingFor,
        errorMessage: errorMessage ?? transcript.errorMessage,
        abortedBy: abortedBy ?? transcript.abortedBy,
        stopped: stopped ?? transcript.stopped,
      };
    }
    case "usage":
      return { ...transcript, usage: event.usage };
    case "history:compacted": {
      const { summary, throughTurnId, throughStep } = event;
      return { ...transcript, compacted: { summary, throughTurnId, throughStep } };
    }
    default:
      return { ...transcript, parts: changeParts(transcript.parts, event) };
  }
}

type PartEvent = Exclude<TurnEvent, { type: "turn:changed" | "usage" | "history:compacted" }>;

function changeParts(parts: Part[], event: PartEvent): Part[] {
  switch (event.type) {
    case "text:start":
    case "reasoning:start": {
      const kind = event.type === "text:start" ? "text" : "reasoning";
      const { partId, agentId, step } = event;
      return [...parts, { kind, id: partId, agentId, step, text: "", open: true }];
    }
    case "text:delta":
      return update(parts, "text", event.partId, (part) => ({ text: part.text + event.text }));
    case "reasoning:delta":
      return update(parts, "reasoning", event.partId, (part) => ({ text: part.text + event.text }));
    case "text:end":
      return update(parts, "text", event.partId, () => ({ text: event.text, open: false }));
    case "reasoning:end":
      return update(parts, "reasoning", event.partId, () => ({ text: event.text, open: false }));
    case "tool:start": {
      const { callId, agentId, step, name } = event;
      return [
        ...parts,
        { kind: "tool", id: callId, agentId, step, name, state: "writing", output: "" },
      ];
    }
    case "tool:input":
      return update(parts, "tool", event.callId, (part) =>
        event.input === undefined
          ? { inputText: (part.inputText ?? "") + (event.delta ?? "") }
          : { input: event.input, inputText: undefined, state: "running" },
      );
    case "tool:output":
      return update(parts, "tool", event.callId, (part) => ({ output: part.output + event.text }));
    case "tool:end":
      return update(parts, "tool", event.callId, (part) => ({
        state: "ended",
        input: event.input ?? part.input,
        inputText: event.input === undefined ? part.inputText : undefined,
        output: event.output ?? part.output,
        outcome: event.outcome,
        result: event.text,
        diff: event.diff,
        durationMs: event.durationMs,
      }));
    case "question:open": {
      const { questionId, callId, question, options } = event;
      return [
        ...parts,
        { kind: "question", id: questionId, callId, question, options, open: true },
      ];
    }
    case "question:closed":
      return update(parts, "question", event.questionId, () => ({
        open: false,
        answer: event.answer,
        by: event.by,
      }));
    case "approval:open": {
      const { approvalId, callId, name, command, diff, prefix, allows } = event;
      const { cwd, background, timeoutMs } = event;
      const how = { cwd, background, timeoutMs };
      const approval = { callId, name, command, diff, ...how, prefix, allows, open: true };
      return [...parts, { kind: "approval", id: approvalId, ...approval }];
    }
    case "approval:closed":
      return update(parts, "approval", event.approvalId, () => ({
        open: false,
        decision: event.decision,
        reason: event.reason,
        by: event.by,
      }));
    case "message:queued":
    case "message:steered": {
      const { messageId, text, by } = event;
      const mode = event.type === "message:steered" ? "steer" : "queue";
      return [...parts, { kind: "message", id: messageId, mode, text, by }];
    }
    case "subagent:start": {
      const { childId, parentId, depth, title, critical } = event;
      const child = { parentId, depth, title, critical, state: "running" as const };
      return [...parts, { kind: "subagent", id: childId, ...child }];
    }
    case "subagent:end":
      return update(parts, "subagent", event.childId, () => ({
        state: "ended",
        outcome: event.outcome,
        text: event.text,
      }));
    case "subagent:orphan":
      return update(parts, "subagent", event.childId, () => ({
        state: "orphaned",
        reason: event.reason,
        text: event.text,
      }));
    case "file:changed":
      return [...parts, { kind: "file", id: `file-${event.seq}`, file: event.file }];
    case "notice": {
      const { seq, partId, phase, level, code, text, waiting } = event;
      const id = partId ?? `notice-${seq}`;
      const notice = { level, code, text, waiting, ...(phase && { open: phase !== "end" }) };
      return phase === "delta" || phase === "end"
        ? update(parts, "notice", id, () => notice)
        : [...parts, { kind: "notice", id, ...notice }];
    }
  }
}

/** Live parts are the latest, so the search starts at the end. */
function update<Kind extends PartKind>(
  parts: Part[],
  kind: Kind,
  id: string,
  patch: (part: PartOf<Kind>) => Partial<PartOf<Kind>>,
): Part[] {
  const index = parts.findLastIndex((part) => part.kind === kind && part.id === id);
  const part = parts[index];
  if (part === undefined || !isKind(part, kind)) {
    return parts;
  }
  return parts.with(index, { ...part, ...patch(part) });
}

function isKind<Kind extends PartKind>(part: Part, kind: Kind): part is PartOf<Kind> {
  return part.kind === kind;
}

/** After its turn's end a part is open no more, also where its own end never came. */
function closePart(part: Part): Part {
  if (part.kind === "tool" && part.state !== "ended") {
    return {
      ...part,
      state: "ended",
      outcome: part.state === "running" ? "unknown" : "never_started",
    };
  }
  if (part.kind === "subagent" && part.state === "running") {
    return { ...part, state: "ended", outcome: "unknown" };
  }
  return "open" in part && part.open ? { ...part, open: false } : part;
}
