import type { TurnEvent } from "@gadget/api";
import { duration } from "@gadget/api";
import { cut } from "./cut.ts";
import type { LineWriter } from "./line-writer.ts";
import { outcomeMark } from "./mark.ts";
import { PlainTextStream, plainText } from "./plain-text.ts";
import type { Style } from "./style.ts";
import { toolInput } from "./tool-input.ts";

type EventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { type: Type }>;

interface Call {
  name: string;
  agentId: string | undefined;
  input: unknown;
  /** Its head line was written. */
  shown: boolean;
  /** What was written of its output, as it came. */
  output: string;
  stream: PlainTextStream;
}

interface ToolPrinterOptions {
  lines: LineWriter;
  style: Style;
  /** Whole results instead of their first lines. */
  full: boolean;
  /** The name of a subagent, for its calls. */
  agent: (id: string) => string;
}

/** The tool that asks the person: its question is shown as one, with the answer. */
const ownQuestion = "ask_user";
const resultLines = 10;
const diffLines = 60;
const lineLength = 200;

/** Tool calls: a head line, the output as it comes, how it ended. */
export class ToolPrinter {
  readonly #options: ToolPrinterOptions;
  readonly #calls = new Map<string, Call>();
  /** The call whose output was written last: another one's head is repeated. */
  #current: string | undefined;

  constructor(options: ToolPrinterOptions) {
    this.#options = options;
  }

  /** Something else was written in between. */
  leave(): void {
    this.#current = undefined;
  }

  start({ callId, name, agentId }: EventOf<"tool:start">): void {
    if (name === ownQuestion) {
      return;
    }
    this.#calls.set(callId, newCall(name, agentId));
  }

  input({ callId, input }: EventOf<"tool:input">): void {
    const call = this.#calls.get(callId);
    if (call === undefined || input === undefined) {
      return;
    }
    call.input = input;
    if (!call.shown) {
      this.#head(callId, call);
    }
  }

  output({ callId, text }: EventOf<"tool:output">): void {
    const call = this.#calls.get(callId);
    if (call === undefined) {
      return;
    }
    this.#enter(callId, call);
    this.#write(call, text);
  }

  end(event: EventOf<"tool:end">): void {
    if (event.name === ownQuestion) {
      return;
    }
    const { lines, style } = this.#options;
    const { callId, name, outcome, text, output, diff, durationMs } = event;
    const call = this.#calls.get(callId) ?? newCall(name, undefined);
    call.input ??= event.input;
    // After a reconnection the end carries what was missed.
    const missed = output?.startsWith(call.output) ? output.slice(call.output.length) : "";
    const said = call.output !== "" || missed !== "";
    const away = call.shown && this.#current !== callId && said && missed === "";
    if (!away) {
      this.#enter(callId, call);
    }
    this.#write(call, missed);
    lines.endLine();
    if (!said) {
      this.#block(text, resultLines, (line) => style("dim", line));
    }
    if (diff !== undefined) {
      this.#block(diff, diffLines, (line) => colourDiff(line, style));
    }
    const words = outcome === "finished" ? "" : outcome.replace("_", " ");
    const reason = outcome === "failed" && said ? lastLine(text) : "";
    const took = durationMs === undefined ? "" : duration(durationMs);
    const end = [away ? name : "", words, reason, took].filter((part) => part !== "").join(" · ");
    lines.line(`  ${outcomeMark(outcome, style)}${end === "" ? "" : ` ${end}`}`);
    this.#calls.delete(callId);
    this.leave();
  }

  #enter(callId: string, call: Call): void {
    if (!call.shown || this.#current !== callId) {
      this.#head(callId, call);
    }
  }

  #head(callId: string, call: Call): void {
    const { lines, style, agent } = this.#options;
    const { name, agentId, input, shown } = call;
    lines.gap();
    const who = agentId === undefined ? "" : `${style("grey", `[${agent(agentId)}]`)} `;
    const what = shown ? style("grey", "(goes on)") : cut(toolInput(input), lineLength);
    lines.line(`${who}${style("blue", "→")} ${style("bold", name)} ${what}`.trimEnd());
    call.shown = true;
    this.#current = callId;
  }

  #write(call: Call, text: string): void {
    const { lines, style } = this.#options;
    call.output += text;
    for (const piece of call.stream.push(text).split(/(?<=\n)/)) {
      if (piece === "") {
        continue;
      }
      const indent = lines.atStart ? "  " : "";
      const end = piece.endsWith("\n") ? "\n" : "";
      lines.write(indent + style("dim", piece.slice(0, piece.length - end.length)) + end);
    }
  }

  #block(text: string, most: number, paint: (line: string) => string): void {
    const { lines, style, full } = this.#options;
    const all = plainText(text).replace(/\n+$/, "").split("\n");
    const shown = full ? all : all.slice(0, most);
    if (all.length === 1 && all[0] === "") {
      return;
    }
    for (const line of shown) {
      lines.line(`  ${paint(full ? line : cut(line, lineLength))}`);
    }
    const left = all.length - shown.length;
    if (left > 0) {
      lines.line(style("grey", `  … ${left} more ${left === 1 ? "line" : "lines"}`));
    }
  }
}

function newCall(name: string, agentId: string | undefined): Call {
  const stream = new PlainTextStream();
  return { name, agentId, input: undefined, shown: false, output: "", stream };
}

function colourDiff(line: string, style: Style): string {
  if (line.startsWith("+") && !line.startsWith("+++")) {
    return style("green", line);
  }
  if (line.startsWith("-") && !line.startsWith("---")) {
    return style("red", line);
  }
  return style("dim", line);
}

function lastLine(text: string): string {
  return cut(plainText(text).trimEnd().split("\n").at(-1) ?? "", lineLength);
}
