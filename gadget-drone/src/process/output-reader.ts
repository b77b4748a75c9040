import type { Readable } from "node:stream";
import type { CommandOptions } from "./command.ts";

/** A process outside our reach may hold the pipe; nobody waits for it longer than this. */
const drainMs = 200;

/** Hands on the streams of a command as decoded text. */
export class OutputReader {
  readonly #onOutput: CommandOptions["onOutput"];
  readonly #open = new Set<Readable>();
  #drained = () => {};

  constructor(onOutput: CommandOptions["onOutput"]) {
    this.#onOutput = onOutput;
  }

  read(stream: Readable | null, name: "stdout" | "stderr"): void {
    if (!stream) {
      return;
    }
    this.#open.add(stream);
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => this.#onOutput?.(text, name));
    stream.on("error", () => {});
    stream.on("close", () => {
      this.#open.delete(stream);
      if (this.#open.size === 0) {
        this.#drained();
      }
    });
  }

  /** Waits, within a cap, for what is still in the pipes, and closes them. */
  async drain(): Promise<void> {
    if (this.#open.size === 0) {
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
      timer = setTimeout(resolve, drainMs);
    });
    clearTimeout(timer);
    for (const stream of this.#open) {
      stream.destroy();
    }
  }
}
