import fc from "fast-check";
import {
  CallId,
  newId,
  type TurnEvent,
  type TurnEventBody,
  TurnId,
  type TurnStatus,
} from "../src/index.ts";

export const turnId = newId(TurnId);

/** One part's life, as the drone would send it. */
function lifeOf(
  kind: "text" | "reasoning" | "tool" | "notice" | "silence",
  index: number,
  pieces: string[],
  full: boolean,
) {
  const whole = pieces.join("");
  if (kind === "notice") {
    const said = (phase: "start" | "delta" | "end", text: string): TurnEventBody => {
      return { type: "notice", partId: `notice-of-${index}`, phase, level: "info", text };
    };
    return [
      said("start", "begins"),
      ...pieces.map((text) => said("delta", text)),
      said("end", whole),
    ];
  }
  if (kind === "silence") {
    const call = `model-${index}`;
    const life: TurnEventBody[] = pieces.map((text, ms) => ({
      type: "notice",
      partId: call,
      phase: "delta",
      level: "info",
      text,
      waiting: { ms },
    }));
    const usage = { inputTokens: index, outputTokens: pieces.length };
    return [...life, { type: "usage", usage, ...(full && { call }) } satisfies TurnEventBody];
  }
  if (kind === "tool") {
    const callId = CallId.parse(`call-${index}`);
    const life: TurnEventBody[] = [{ type: "tool:start", callId, name: "shell" }];
    for (const piece of pieces) {
      life.push({ type: "tool:input", callId, delta: piece });
    }
    life.push({ type: "tool:input", callId, input: { command: whole } });
    for (const piece of pieces) {
      life.push({ type: "tool:output", callId, text: piece });
    }
    const end = { callId, name: "shell", outcome: "finished" as const, text: `gave ${whole}` };
    life.push(
      full
        ? { type: "tool:end", ...end, input: { command: whole }, output: whole }
        : { type: "tool:end", ...end },
    );
    return life;
  }
  const partId = `${kind}-${index}`;
  const deltas = pieces.map((text) => ({ type: `${kind}:delta` as const, partId, text }));
  return [
    { type: `${kind}:start` as const, partId },
    ...deltas,
    { type: `${kind}:end` as const, partId, text: whole },
  ] satisfies TurnEventBody[];
}

const part = fc.record({
  kind: fc.constantFrom<Parameters<typeof lifeOf>[0]>(
    "text",
    "reasoning",
    "tool",
    "notice",
    "silence",
  ),
  pieces: fc.array(fc.string({ maxLength: 4 }), { maxLength: 6 }),
  /** Whether a tool's end carries its input and output. */
  full: fc.boolean(),
  /** Whether the part is cut off before its end. */
  cut: fc.boolean(),
});

export function numbered(bodies: readonly TurnEventBody[]): TurnEvent[] {
  return bodies.map((body, index) => ({
    turnId,
    seq: index + 1,
    epoch: 1,
    at: "2026-01-01T00:00:00.000Z",
    ...body,
  }));
}

/** A whole turn: parallel parts, interleaved at random, between its first and its terminal event. */
export const randomLog = fc
  .record({
    parts: fc.array(part, { maxLength: 6 }),
    choices: fc.array(fc.nat(), { minLength: 120, maxLength: 120 }),
    end: fc.constantFrom<TurnStatus>("finished", "aborted", "error", "interrupted"),
  })
  .map(({ parts, choices, end }) => {
    const lives = parts.map(({ kind, pieces, full, cut }, index) => {
      const life = lifeOf(kind, index, pieces, full);
      return cut ? life.slice(0, -1) : life;
    });
    const bodies: TurnEventBody[] = [{ type: "turn:changed", status: "queued" }];
    for (const choice of choices) {
      const open = lives.filter((life) => life.length > 0);
      const next = open[choice % open.length]?.shift();
      if (next !== undefined) {
        bodies.push(next);
      }
    }
    for (const life of lives) {
      bodies.push(...life);
    }
    bodies.push({ type: "turn:changed", status: end });
    return numbered(bodies);
  });
