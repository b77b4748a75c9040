/** What a browser has, as arguments, so that tests can stand in for it. */
export interface Frames {
  hidden(): boolean;
  onFrame(run: () => void): () => void;
  onTimer(run: () => void, ms: number): () => void;
}

const hiddenMs = 250;

export const browserFrames: Frames = {
  hidden: () => document.hidden,
  onFrame(run) {
    const handle = requestAnimationFrame(run);
    return () => cancelAnimationFrame(handle);
  },
  onTimer(run, ms) {
    const handle = setTimeout(run, ms);
    return () => clearTimeout(handle);
  },
};

/**
 * Runs `flush` once for all that was asked for since the last time: on the next animation
 * frame, or on a timer while the page is hidden and has no frames. A page that is hidden
 * between the asking and the frame is covered by a timer too; whichever comes first runs.
 */
export class FrameQueue {
  #flush: () => void;
  #frames: Frames;
  #cancel: (() => void)[] = [];

  constructor(flush: () => void, frames: Frames = browserFrames) {
    this.#flush = flush;
    this.#frames = frames;
  }

  request(): void {
    if (this.#cancel.length > 0) {
      return;
    }
    const run = (): void => {
      this.cancel();
      this.#flush();
    };
    this.#cancel.push(this.#frames.onTimer(run, hiddenMs));
    if (!this.#frames.hidden()) {
      this.#cancel.push(this.#frames.onFrame(run));
    }
  }

  cancel(): void {
    for (const cancel of this.#cancel) {
      cancel();
    }
    this.#cancel = [];
  }
}
