import type { Part, TurnWithTranscript } from "@gadget/api";
import type { Response } from "express";
import { type StoredSession, sessionToWire } from "../../models/chat-session.ts";
import { type StoredTurn, turnToWire } from "../../models/chat-turn.ts";
import { ownedBy } from "../../people/owned.ts";
import { transcriptOf } from "../../turns/log/history.ts";
import type { HttpContext } from "../http-context.ts";
import { largeRead } from "../large-read.ts";
import type { Handlers } from "../router.ts";

/** Turn by turn, so that a long session never is in memory as a whole. */
export function exportHandlers(context: HttpContext) {
  const { models } = context;

  async function* turnsOf({ _id: sessionId, owner }: StoredSession) {
    const turns = models.turns
      .find({ sessionId, owner })
      .sort({ createdAt: 1, _id: 1 })
      .lean<StoredTurn[]>()
      .cursor();
    for await (const turn of turns) {
      const transcript = await transcriptOf(models, turn);
      yield { turn: turnToWire(turn), transcript } satisfies TurnWithTranscript;
    }
  }

  return {
    exportSession: async ({ user, params: { id }, query: { format = "json" }, res }) => {
      const session = await ownedBy(models, user._id).session(id);
      await largeRead(context.limits, user._id, res);
      res.attachment(`${fileNameOf(session.title)}.${format}`);
      if (format === "md") {
        res.type("text/markdown; charset=utf-8");
        await write(res, `# ${session.title}\n`);
        for await (const turn of turnsOf(session)) {
          for (const block of markdownOf(turn)) {
            await write(res, `\n${block}\n`);
          }
        }
      } else {
        res.type("application/json; charset=utf-8");
        await write(res, `{"session":${JSON.stringify(sessionToWire(session))},"turns":[`);
        let comma = "";
        for await (const turn of turnsOf(session)) {
          for (const text of jsonOf(turn)) {
            await write(res, comma + text);
            comma = "";
          }
          comma = ",";
        }
        await write(res, "]}");
      }
      res.end();
      return undefined;
    },
  } satisfies Handlers;
}

async function write(res: Response, text: string): Promise<void> {
  if (res.write(text) || res.destroyed) {
    return;
  }
  await new Promise<void>((resolve) => {
    const go = (): void => {
      res.off("drain", go);
      res.off("close", go);
      resolve();
    };
    res.once("drain", go);
    res.once("close", go);
  });
}

function fileNameOf(title: string): string {
  const plain = title.replace(/[^\p{L}\p{N}_-]+/gu, " ").trim();
  return plain.slice(0, 80).trim() || "session";
}

const endings: Partial<Record<TurnWithTranscript["turn"]["status"], string>> = {
  aborted: "The turn was aborted",
  interrupted: "The turn was interrupted",
  error: "The turn failed",
};

/** A turn as JSON, part by part. */
function* jsonOf({ turn, transcript: { parts, ...rest } }: TurnWithTranscript): Generator<string> {
  const transcript = JSON.stringify(rest);
  yield `{"turn":${JSON.stringify(turn)},"transcript":${transcript.slice(0, -1)},"parts":[`;
  let comma = "";
  for (const part of parts) {
    yield comma + JSON.stringify(part);
    comma = ",";
  }
  yield "]}}";
}

function* markdownOf({ turn, transcript }: TurnWithTranscript): Generator<string> {
  yield `## ${turn.createdAt}`;
  if (turn.prompt !== "") {
    yield quoted(turn.prompt);
  }
  for (const part of transcript.parts) {
    const text = partText(part);
    if (text !== "") {
      yield text;
    }
  }
  const ending = endings[turn.status];
  if (ending !== undefined) {
    const by = turn.abortedBy === undefined ? "" : ` by ${turn.abortedBy.name}`;
    const why = turn.errorMessage === undefined ? "" : `: ${turn.errorMessage}`;
    yield `*${ending}${by}${why}*`;
  }
}

function partText(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text.trim();
    case "tool": {
      const input = part.input === undefined ? "" : ` ${JSON.stringify(part.input)}`;
      const output = (part.result ?? part.output).trim();
      const head = `**${part.name}**${code(input)} (${part.outcome ?? part.state})`;
      return output === "" ? head : `${head}\n\n${fenced(output)}`;
    }
    case "question":
      return `**Question:** ${part.question}${part.answer === undefined ? "" : `\n\n**Answer:** ${part.answer}`}`;
    case "approval":
      return `**Approval of ${part.name}:** ${part.decision ?? "none"}`;
    case "message":
      return quoted(part.text);
    case "file":
      return `*${part.file.change}: ${part.file.path} (+${part.file.added} -${part.file.removed})*`;
    case "subagent":
      return `**Subagent ${part.title}:** ${part.text ?? part.state}`;
    case "notice":
      return `*${part.text}*`;
    case "reasoning":
      return "";
  }
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function code(text: string): string {
  return text === ""
    ? ""
    : ` ${"`".repeat(longestTicks(text) + 1)}${text} ${"`".repeat(longestTicks(text) + 1)}`;
}

function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
}
