import { Child } from "../../../packages/cli/test/support/child.ts";

interface Start {
  command?: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** What it says when it is ready. */
  ready: RegExp;
}

/** One process of the product, which can be killed, stopped and started again. */
export class PartProcess {
  readonly #start: () => Start;
  #child: Child | undefined;
  #before = "";

  constructor(start: () => Start) {
    this.#start = start;
  }

  get pid(): number {
    const { pid } = this.#running.process;
    if (pid === undefined) {
      throw new Error("It has no process.");
    }
    return pid;
  }

  get output(): string {
    return this.#child === undefined ? "" : this.#child.stdout + this.#child.stderr;
  }

  /** All that its processes have said, one after the other. */
  get story(): string {
    return this.#before + this.output;
  }

  get isRunning(): boolean {
    const child = this.#child?.process;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Starts it and does not wait until it is ready. */
  launch(): void {
    const { ready: _, ...options } = this.#start();
    this.#before += this.output;
    this.#child = new Child(options);
  }

  /** What it said at its start, matched. */
  async start(): Promise<RegExpExecArray> {
    this.launch();
    const { ready } = this.#start();
    await this.#running.until(ready);
    const match = ready.exec(this.output);
    if (match === null) {
      throw new Error("It is not ready.");
    }
    return match;
  }

  async kill(): Promise<void> {
    if (this.isRunning) {
      await this.#running.stop("SIGKILL");
    }
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  pause(): void {
    if (this.isRunning) {
      this.#running.process.kill("SIGSTOP");
    }
  }

  resume(): void {
    if (this.isRunning) {
      this.#running.process.kill("SIGCONT");
    }
  }

  get #running(): Child {
    if (this.#child === undefined) {
      throw new Error("It has not been started.");
    }
    return this.#child;
  }
}
