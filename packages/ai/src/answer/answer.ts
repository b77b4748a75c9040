import type {
  AiAssistantMessage,
  AiEvent,
  AiFailed,
  AiFinishReason,
  AiOpenPart,
  AiReasoning,
  AiText,
  AiToolCall,
  AiUsage,
} from "../api.ts";
import type { AiFailure } from "../failure/failure.ts";
import { parseToolArguments } from "./parse-tool-arguments.ts";
import { ThinkTags } from "./think-tags.ts";

interface OpenCall {
  type: "toolcall";
  id: string;
  /** What the server called it, to recognise its later pieces. */
  serverId: string;
  name: string;
  text: string;
  announced: boolean;
  extra?: Record<string, unknown>;
}

export interface ToolCallPiece {
  id?: string | undefined;
  name?: string | undefined;
  text?: string | undefined;
  extra?: Record<string, unknown> | undefined;
}

type OpenPart = (AiText | AiReasoning) & { id: string };

/** One answer while it comes in: decoders feed it, events come out, in the order of arrival. */
export class Answer {
  reason: AiFinishReason | undefined;
  usage: AiUsage | undefined;
  /** What the server reported in mid-stream. */
  failure: AiFailure | undefined;
  /** The model's own words for not answering, where a server keeps them apart. */
  refusal = "";
  /** The server said that nothing follows. */
  closed = false;
  /** How many characters came, for an estimate where the server counts nothing. */
  received = 0;
  #events: AiEvent[] = [];
  readonly #parts: (OpenPart | OpenCall)[] = [];
  readonly #calls = new Map<number, OpenCall>();
  readonly #takenIds: Set<string>;
  readonly #tags = new ThinkTags();
  #open: OpenPart | undefined;

  constructor(takenIds: Iterable<string>) {
    this.#takenIds = new Set(takenIds);
  }

  /** The events since the last time. */
  take(): AiEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  get callCount(): number {
    return this.#calls.size;
  }

  text(piece: string): void {
    if (piece === "") {
      return;
    }
    if (this.#tags.passed) {
      this.#delta("text", piece);
      return;
    }
    const told = this.#tags.push(piece);
    this.reasoning(told.reasoning);
    this.#delta("text", told.text);
  }

  reasoning(piece: string, field?: string): void {
    this.#delta("reasoning", piece, field);
  }

  /** A piece of the call at this place; another id with a name there begins another call. */
  toolCall(index: number, piece: ToolCallPiece): void {
    let call = this.#calls.get(index);
    const another = piece.id && piece.name && call?.serverId && call.serverId !== piece.id;
    if (!call || another) {
      this.#close();
      const serverId = piece.id ?? "";
      call = { type: "toolcall", id: "", serverId, name: "", text: "", announced: false };
      call.id = this.#uniqueId(serverId);
      this.#calls.set(index, call);
      this.#parts.push(call);
    }
    if (call.name === "" && piece.name) {
      call.name = piece.name;
    }
    if (piece.extra) {
      call.extra = { ...call.extra, ...piece.extra };
    }
    if (call.name !== "" && !call.announced) {
      call.announced = true;
      this.#events.push({ type: "toolcall:start", id: call.id, name: call.name });
      if (call.text !== "") {
        this.#events.push({ type: "toolcall:delta", id: call.id, text: call.text });
      }
    }
    if (piece.text) {
      call.text += piece.text;
      this.received += piece.text.length;
      if (call.announced) {
        this.#events.push({ type: "toolcall:delta", id: call.id, text: piece.text });
      }
    }
  }

  finish(reason: AiFinishReason): void {
    this.reason = this.#calls.size > 0 && reason === "stop" ? "tool_calls" : reason;
  }

  /** Ends every part: only for an answer that has a finish reason. */
  complete(): AiAssistantMessage {
    this.#flushTags();
    this.#close();
    const content: AiAssistantMessage["content"] = [];
    for (const part of this.#parts) {
      if (part.type !== "toolcall") {
        content.push(withoutId(part));
        continue;
      }
      const call: AiToolCall = {
        type: "toolcall",
        id: part.id,
        name: part.name,
        arguments: parseToolArguments(part.text, this.reason === "length"),
      };
      if (part.extra) {
        call.extra = part.extra;
      }
      content.push(call);
      const { id, name, arguments: parsed } = call;
      this.#events.push({ type: "toolcall:end", id, name, arguments: parsed });
    }
    if (this.usage) {
      this.#events.push({ type: "usage", usage: this.usage });
    }
    return { role: "assistant", content };
  }

  /**
   * What is worth keeping of an answer without an end: text and reasoning, never a call; and what of
   * it is open. Of the events that were taken last, `unshown` were not shown.
   */
  partial(unshown: readonly AiEvent[]): Pick<AiFailed, "message" | "open"> {
    this.#flushTags();
    const hidden = [...unshown, ...this.take()];
    const content = this.#parts.flatMap((part) =>
      part.type === "toolcall" ? [] : [withoutId(part)],
    );
    return {
      message: { role: "assistant", content, interrupted: true },
      open: this.#parts.flatMap((part) => this.#openOf(part, hidden) ?? []),
    };
  }

  #openOf(part: OpenPart | OpenCall, hidden: readonly AiEvent[]): AiOpenPart | undefined {
    const own = hidden.filter((event) => "id" in event && event.id === part.id);
    const isHidden = (what: "start" | "end") =>
      own.some(({ type }) => type === `${part.type}:${what}`);
    if (isHidden("start")) {
      return undefined;
    }
    const { type, id } = part;
    if (type === "toolcall") {
      return part.announced ? { type, id, name: part.name } : undefined;
    }
    if (part !== this.#open && !isHidden("end")) {
      return undefined;
    }
    let shown = part.text.length;
    for (const event of own) {
      if (event.type === "text:delta" || event.type === "reasoning:delta") {
        shown -= event.text.length;
      }
    }
    return { type, id, text: part.text.slice(0, shown) };
  }

  /** A call that never got a name can't be announced, hence not be answered. */
  get hasNamelessCall(): boolean {
    return this.#parts.some((part) => part.type === "toolcall" && part.name === "");
  }

  #flushTags(): void {
    const rest = this.#tags.rest();
    this.reasoning(rest.reasoning);
    this.#delta("text", rest.text);
  }

  #delta(type: "text" | "reasoning", piece: string, field?: string): void {
    if (piece === "") {
      return;
    }
    const part = this.#open?.type === type ? this.#open : this.#begin(type, field);
    part.text += piece;
    this.received += piece.length;
    this.#events.push({ type: `${type}:delta`, id: part.id, text: piece });
  }

  #begin(type: "text" | "reasoning", field: string | undefined): OpenPart {
    this.#close();
    const id = `${type}-${this.#parts.length}`;
    const part: OpenPart =
      type === "reasoning" && field !== undefined
        ? { type, id, text: "", field }
        : { type, id, text: "" };
    this.#parts.push(part);
    this.#open = part;
    this.#events.push({ type: `${type}:start`, id });
    return part;
  }

  #close(): void {
    const part = this.#open;
    if (part) {
      this.#open = undefined;
      this.#events.push({ type: `${part.type}:end`, id: part.id, text: part.text });
    }
  }

  #uniqueId(serverId: string): string {
    const id =
      serverId === "" || this.#takenIds.has(serverId)
        ? `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`
        : serverId;
    this.#takenIds.add(id);
    return id;
  }
}

function withoutId(part: OpenPart): AiText | AiReasoning {
  const { id: _, ...rest } = part;
  return rest;
}
