import { randomBytes } from "node:crypto";

/** As much as read_file takes. */
export const mostOutputBytes = 10 * 1024 * 1024;
/** Until then nothing is written: most output is short. */
const inMemory = 64 * 1024;

/** Where the whole of it can be read. */
interface OutputPlace {
  id: string;
  lines: number;
  /** False: its beginning, as much as is kept of one. */
  isWhole: boolean;
}

/** The file behind an output; the first piece makes it. */
export interface OutputFile {
  /** False: it could not be written, or was removed meanwhile. */
  append(id: string, text: string, isFirst: boolean): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** What one command prints, kept for a model that was shown a part of it. */
export class KeptOutput {
  /** The model was told of its place. */
  isNamed = false;
  readonly #file: OutputFile;
  readonly #id = randomBytes(6).toString("hex");
  #waiting = "";
  #bytes = 0;
  #lines = 0;
  #endsInLine = false;
  #isFull = false;
  #isBegun = false;
  /** Whether all that was written is there. */
  #written: Promise<boolean> = Promise.resolve(true);

  constructor(file: OutputFile) {
    this.#file = file;
  }

  add(text: string): void {
    if (this.#isFull || text === "") {
      return;
    }
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > mostOutputBytes) {
      this.#isFull = true;
      return;
    }
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
      this.#lines += 1;
    }
    this.#endsInLine = !text.endsWith("\n");
    this.#waiting += text;
    if (this.#waiting.length > inMemory) {
      this.#write();
    }
  }

  /** Undefined where it could not be kept. */
  async place(): Promise<OutputPlace | undefined> {
    this.#write();
    const lines = this.#lines + (this.#endsInLine ? 1 : 0);
    const isWhole = !this.#isFull;
    return (await this.#written) ? { id: this.#id, lines, isWhole } : undefined;
  }

  /** Nothing more comes: what was not named is needed by nobody. */
  end(): void {
    this.#isFull = true;
    this.#waiting = "";
    if (this.#isBegun && !this.isNamed) {
      void this.#file.remove(this.#id);
    }
  }

  #write(): void {
    if (this.#waiting === "") {
      return;
    }
    const text = this.#waiting;
    const isFirst = !this.#isBegun;
    this.#waiting = "";
    this.#isBegun = true;
    const before = this.#written;
    const adding = this.#file.append(this.#id, text, isFirst);
    this.#written = Promise.all([before, adding]).then((all) => all.every(Boolean));
  }
}
