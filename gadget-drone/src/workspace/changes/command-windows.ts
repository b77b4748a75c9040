/** File times come from the kernel's coarse clock, which is a little behind. */
const slackMs = 25;

interface Window {
  from: number;
  to: number;
}

/**
 * When commands were running. A file that changed while none was is the work of somebody else, and
 * not the turn's to take back (rule A31).
 */
export class CommandWindows {
  readonly #windows: Window[] = [];

  get any(): boolean {
    return this.#windows.length > 0;
  }

  /** The returned function ends the window. */
  open(): () => void {
    const window: Window = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.#windows.push(window);
    return () => {
      window.to = Math.min(window.to, Date.now());
    };
  }

  holds(timeMs: number): boolean {
    return this.#windows.some(({ from, to }) => timeMs >= from - slackMs && timeMs <= to + slackMs);
  }
}
