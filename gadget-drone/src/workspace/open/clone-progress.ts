import type { Clock } from "../../clock.ts";
import { ProgressLine, withoutPassword } from "../git/progress-line.ts";

export type ShowProgress = (phase: "start" | "delta" | "end", text: string) => void;

const everyMs = 2_000;
const ends = { cloned: "Cloned", stopped: "Stopped cloning", failed: "Could not clone" };

/** Tells of a clone that takes more than 2 s: that it goes on, how far it is, and its end. */
export class CloneProgress {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #show: ShowProgress;
  readonly #begun: number;
  #cancel: () => void;
  readonly #line = new ProgressLine();
  #shown: string | undefined;

  constructor(url: string, clock: Clock, show: ShowProgress) {
    this.#url = withoutPassword(url);
    this.#clock = clock;
    this.#show = show;
    this.#begun = clock.now();
    this.#cancel = clock.after(everyMs, () => this.#tell());
  }

  /** What git wrote, in pieces of any size. */
  add(text: string): void {
    this.#line.add(text);
  }

  end(how: keyof typeof ends): void {
    this.#cancel();
    if (this.#shown === undefined) {
      return;
    }
    const seconds = Math.round((this.#clock.now() - this.#begun) / 1_000);
    this.#show("end", `${ends[how]} ${this.#url} (${seconds} s).`);
  }

  #tell(): void {
    this.#cancel = this.#clock.after(everyMs, () => this.#tell());
    const far = this.#line.last === "" ? "" : `: ${this.#line.last}`;
    const text = `Cloning ${this.#url}${far}`;
    if (text === this.#shown) {
      return;
    }
    this.#show(this.#shown === undefined ? "start" : "delta", text);
    this.#shown = text;
  }
}
