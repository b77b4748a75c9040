import type { Stopped } from "@gadget/api";
import type { Clock } from "../clock.ts";
import type { CommandResult } from "../process/command.ts";

type Notice = (level: "info" | "warning", code: string, text: string) => void;

/**
 * What the receipt of an abort says, counted from the turn's own commands. It claims that nothing
 * is left only where every command's end was proven: one that has not ended yet is left, and an end
 * that a killed supervisor had reported counts for nothing.
 */
export class Receipt {
  readonly #clock: Clock;
  readonly #notice: Notice;
  readonly #running = new Map<Promise<CommandResult>, { background: boolean }>();
  /** Undefined: nobody has aborted the turn. */
  #begunAt: number | undefined;
  #processes = 0;
  #left = 0;
  #unproven = false;
  #leftBehind = false;
  #machineCanNot = false;
  #supervisorsLost = 0;

  constructor(clock: Clock, notice: Notice) {
    this.#clock = clock;
    this.#notice = notice;
  }

  /** The abort has come. */
  begin(): void {
    this.#begunAt = this.#clock.now();
  }

  /** A command of the turn runs until this resolves. */
  watch(done: Promise<CommandResult>, { background = false } = {}): void {
    this.#running.set(done, { background });
    const ended = () => this.#running.delete(done);
    done.then((result) => {
      ended();
      this.#add(result);
    }, ended);
  }

  /** The turn settles though something of it goes on. */
  leaveBehind(): void {
    this.#leftBehind = true;
  }

  /** Undefined where there was no abort. */
  stopped(): Stopped | undefined {
    if (this.#begunAt === undefined) {
      return undefined;
    }
    const afterMs = Math.round(this.#clock.now() - this.#begunAt);
    const unproven = this.#unproven || this.#leftBehind || this.#running.size > 0;
    const left = this.#left + this.#running.size;
    return { afterMs, processes: this.#processes, left, ...(unproven && { unproven }) };
  }

  /** Background commands go on after a turn that was not aborted; nothing else does. */
  tellLeft(): void {
    const wasAborted = this.#begunAt !== undefined;
    const running = [...this.#running.values()].filter(
      ({ background }) => wasAborted || !background,
    ).length;
    const left = this.#left + running;
    if (left > 0) {
      const what = left === 1 ? "1 process" : `${left} processes`;
      const text = `${what} could not be ended and may still run on the drone's machine.`;
      this.#notice("warning", "abort", text);
    }
    if (wasAborted && this.#machineCanNot) {
      this.#notice("info", "unproven", noProofHere);
    }
  }

  #add({ processesEnded, left, proven, supervisorLost, stoppedBy }: CommandResult): void {
    if (stoppedBy === "abort") {
      this.#processes += processesEnded;
    }
    this.#left += left;
    if (proven) {
      return;
    }
    this.#unproven = true;
    this.#machineCanNot ||= !supervisorLost;
    if (supervisorLost && this.#supervisorsLost++ === 0) {
      this.#notice("warning", "unproven", supervisorKilled);
    }
  }
}

const noProofHere =
  "This machine can't prove that nothing is left: a process that hid itself may still run. Where perl is installed on Linux, it can.";

const supervisorKilled =
  "The supervisor of a command was killed. What was seen of the command was ended; something that it had started may still run on the drone's machine.";
