import type { TurnEvent } from "@gadget/api";
import { cut, firstLine } from "./cut.ts";
import type { LineWriter } from "./line-writer.ts";
import { outcomeMark, turnMark } from "./mark.ts";
import { PlainTextStream, plainText } from "./plain-text.ts";
import type { Style } from "./style.ts";
import { ToolPrinter } from "./tool-printer.ts";

type EventOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { type: Type }>;

interface Prose {
  kind: "text" | "reasoning";
  written: string;
  stream: PlainTextStream;
}

export interface TurnPrinterOptions {
  lines: LineWriter;
  style: Style;
  full?: boolean;
}

const noticeMarks = { info: ["·", "grey"], warning: ["!", "yellow"], error: ["!", "red"] } as const;

/**
 * A turn's events as text, live or from the log alike. What the turn's own agent says is written as
 * it comes; of subagents, their calls and what they deliver.
 */
export class TurnPrinter {
  readonly #lines: LineWriter;
  readonly #style: Style;
  readonly #tools: ToolPrinter;
  readonly #prose = new Map<string, Prose>();
  readonly #agents = new Map<string, string>();
  #current: string | undefined;
  #said: string | undefined;

  constructor({ lines, style, full = false }: TurnPrinterOptions) {
    this.#lines = lines;
    this.#style = style;
    const agent = (id: string) => this.#agents.get(id) ?? "subagent";
    this.#tools = new ToolPrinter({ lines, style, full, agent });
  }

  print(event: TurnEvent): void {
    switch (event.type) {
      case "text:start":
      case "reasoning:start":
        return this.#startProse(event);
      case "text:delta":
      case "reasoning:delta":
        return this.#writeProse(event.partId, event.text);
      case "text:end":
      case "reasoning:end":
        return this.#endProse(event);
      case "tool:start":
        return this.#tools.start(event);
      case "tool:input":
        return this.#tools.input(event);
      case "tool:output":
        return this.#tools.output(event);
      case "tool:end":
        return this.#tools.end(event);
      case "usage":
        return;
      case "turn:changed":
        return this.#changed(event);
      case "question:open":
        return this.#question(event);
      case "approval:open":
        return this.#approval(event);
      case "file:changed": {
        const { path, change, added, removed } = event.file;
        return this.#note("±", `${change} ${plainText(path)} (+${added} -${removed})`);
      }
      case "notice": {
        // How far it is stands beside the spinner.
        if (event.phase === "delta") {
          return;
        }
        const [mark, colour] = noticeMarks[event.level];
        return this.#note(this.#style(colour, mark), plainText(event.text));
      }
      default:
        return this.#printRare(event);
    }
  }

  #printRare(
    event: EventOf<
      | "question:closed"
      | "approval:closed"
      | "message:queued"
      | "message:steered"
      | "subagent:start"
      | "subagent:end"
      | "subagent:orphan"
      | "history:compacted"
    >,
  ): void {
    switch (event.type) {
      case "question:closed": {
        const { answer, by } = event;
        const said =
          answer === undefined ? "closed, not answered" : `answered${byWhom(by)}: ${answer}`;
        return this.#note(" ", plainText(said));
      }
      case "approval:closed": {
        const { decision, reason, by } = event;
        const why = reason === undefined ? "" : `: ${reason}`;
        return this.#note(
          " ",
          plainText(`${decisionWords[decision ?? "none"]}${byWhom(by)}${why}`),
        );
      }
      case "message:queued":
      case "message:steered": {
        const how = event.type === "message:queued" ? "queued" : "steered";
        return this.#note("»", `${how}${byWhom(event.by)}: ${plainText(event.text)}`);
      }
      case "subagent:start":
        this.#agents.set(event.childId, plainText(event.title));
        return this.#note("↳", `subagent: ${plainText(event.title)}`);
      case "subagent:end":
        return this.#note(
          outcomeMark(event.outcome, this.#style),
          `subagent ${this.#agents.get(event.childId) ?? ""}: ${cut(firstLine(plainText(event.text)), 200)}`,
        );
      case "subagent:orphan":
        return this.#note(
          outcomeMark("unknown", this.#style),
          `subagent ${this.#agents.get(event.childId) ?? ""}: ${plainText(event.reason)}`,
        );
      case "history:compacted":
        return this.#note("·", "The earlier conversation was summed up to make room.");
    }
  }

  #startProse({ type, partId, agentId }: EventOf<"text:start" | "reasoning:start">): void {
    if (agentId !== undefined) {
      return;
    }
    const kind = type === "text:start" ? "text" : "reasoning";
    this.#prose.set(partId, { kind, written: "", stream: new PlainTextStream() });
  }

  #writeProse(partId: string, text: string): void {
    const prose = this.#prose.get(partId);
    if (prose === undefined || text === "") {
      return;
    }
    if (this.#current !== partId) {
      this.#lines.gap();
      this.#tools.leave();
      if (prose.kind === "reasoning") {
        this.#lines.write(this.#style("grey", "thinking: "));
      }
      this.#current = partId;
    }
    prose.written += text;
    const shown = prose.stream.push(text);
    this.#lines.write(prose.kind === "text" ? shown : this.#style("grey", shown));
  }

  /** The end carries the full text: what was missed while the connection was lost is added. */
  #endProse({ partId, text }: EventOf<"text:end" | "reasoning:end">): void {
    const prose = this.#prose.get(partId);
    if (prose === undefined) {
      return;
    }
    if (text.startsWith(prose.written)) {
      this.#writeProse(partId, text.slice(prose.written.length));
    }
    this.#lines.endLine();
    this.#prose.delete(partId);
    this.#current = undefined;
  }

  #changed({ status, waitingFor }: EventOf<"turn:changed">): void {
    const now = waitingFor === "finishing" ? "finishing up" : status;
    // The drone and the server may both say it.
    if (now === this.#said) {
      return;
    }
    this.#said = now;
    if (now === "aborting" || now === "finishing up") {
      this.#note(turnMark(status, this.#style), now);
    }
  }

  #question({ question, options = [] }: EventOf<"question:open">): void {
    this.#note(this.#style("yellow", "?"), plainText(question));
    for (const [index, { label, description }] of options.entries()) {
      const more =
        description === undefined ? "" : ` ${this.#style("grey", plainText(description))}`;
      this.#lines.line(`  ${index + 1}. ${plainText(label)}${more}`);
    }
  }

  #approval(asked: EventOf<"approval:open">): void {
    const { name, command, diff, cwd, background, allows } = asked;
    const what = command === undefined ? "" : `: ${plainText(command)}`;
    this.#note(this.#style("yellow", "?"), `May it run ${name}${what}`);
    for (const line of diff === undefined ? [] : plainText(diff).trimEnd().split("\n")) {
      this.#lines.line(`  ${line}`);
    }
    if (cwd !== undefined) {
      this.#lines.line(`  in the folder ${plainText(cwd)}`);
    }
    if (background === true) {
      this.#lines.line("  in the background");
    }
    if (allows !== undefined) {
      this.#lines.line(`  For the session: ${plainText(allows)}`);
    }
  }

  #note(mark: string, text: string): void {
    this.#tools.leave();
    this.#current = undefined;
    this.#lines.line(`${mark} ${text}`);
  }
}

const decisionWords = {
  once: "allowed once",
  session: "allowed for the session",
  deny: "denied",
  none: "closed, not decided",
};

function byWhom(person: { name: string } | undefined): string {
  return person === undefined ? "" : ` by ${plainText(person.name)}`;
}
