/** Cuts the body of a streamed answer into the JSON texts that it carries. */
export interface FrameReader {
  push(text: string): string[];
  /** What a server left without its final line end. */
  rest(): string[];
}

/** Of a line and of a body: what is longer takes too long to parse. */
const longest = 8 * 1024 * 1024;

/** Joins a line that came in many pieces once, not once a piece: a line may have megabytes. */
class LineReader {
  #pieces: string[] = [];
  #length = 0;

  push(text: string): string[] {
    if (!text.includes("\n")) {
      this.#keep(text);
      return [];
    }
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    if (this.#length > 0) {
      this.#pieces.push(lines[0] ?? "");
      lines[0] = this.#pieces.join("");
      this.#pieces = [];
      this.#length = 0;
    }
    this.#keep(last);
    return lines;
  }

  rest(): string[] {
    const line = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    return line === "" ? [] : [line];
  }

  #keep(text: string): void {
    if (text === "") {
      return;
    }
    this.#length += text.length;
    if (this.#length > longest) {
      throw new Error(`a line of more than ${longest} characters`);
    }
    this.#pieces.push(text);
  }
}

/** One JSON text a line (Ollama). */
export function jsonLines(): FrameReader {
  const lines = new LineReader();
  const clean = (list: string[]) => list.filter((line) => line !== "" && line !== "\r");
  return {
    push: (text) => clean(lines.push(text)),
    rest: () => clean(lines.rest()),
  };
}

/** Server-sent events: the `data` of each; comments and other fields are left out. */
export function serverSentEvents(): FrameReader {
  const lines = new LineReader();
  let data: string | undefined;

  const take = (list: string[]) => {
    const frames: string[] = [];
    for (const raw of list) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line === "") {
        if (data !== undefined) {
          frames.push(data);
          data = undefined;
        }
      } else if (line.startsWith("data:")) {
        const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
        data = data === undefined ? value : `${data}\n${value}`;
      }
    }
    return frames;
  };
  return {
    push: (text) => take(lines.push(text)),
    rest: () => take([...lines.rest(), ""]),
  };
}

/** The whole body is one JSON text, as of a server that was not asked to stream or does not. */
export function wholeBody(): FrameReader {
  const pieces: string[] = [];
  let length = 0;
  return {
    push: (text) => {
      length += text.length;
      if (length > longest) {
        throw new Error(`an answer of more than ${longest} characters`);
      }
      pieces.push(text);
      return [];
    },
    rest: () => {
      const text = pieces.join("").trim();
      return text === "" ? [] : [text];
    },
  };
}
