import type { TurnId } from "@gadget/api";
import { Component, type RefObject } from "react";

interface Props {
  box: RefObject<HTMLElement | null>;
  /** The first turn that is drawn. */
  first: TurnId | undefined;
  /** A reader who follows the end is kept there by other means. */
  isFollowing: boolean;
}

/** Until what was put above is drawn, its heights are guesses and may change. */
const settlingMs = 1_000;

/**
 * Keeps what is being read in its place when older turns are put before it. Browsers do so too,
 * but not all of them, and none at the very top. A class, because only classes are asked before
 * the page changes.
 */
export class KeepPlace extends Component<Props> {
  #stop = () => {};

  override getSnapshotBeforeUpdate({ first }: Props): number | null {
    const isSame = first === this.props.first;
    return isSame || this.props.isFollowing ? null : this.#topOf(first);
  }

  override componentDidUpdate({ first }: Props, _: unknown, before: number | null): void {
    if (before !== null) {
      this.#hold(first, before);
    }
  }

  override componentWillUnmount(): void {
    this.#stop();
  }

  override render(): null {
    return null;
  }

  /** Until the heights are known, or until somebody scrolls on. */
  #hold(turnId: TurnId | undefined, top: number): void {
    this.#stop();
    const box = this.props.box.current;
    if (box === null) {
      return;
    }
    const until = performance.now() + settlingMs;
    let frame = 0;
    const adjust = () => {
      if (this.props.isFollowing) {
        return this.#stop();
      }
      const now = this.#topOf(turnId);
      if (now !== null && Math.abs(now - top) >= 1) {
        box.scrollTop += now - top;
      }
      if (performance.now() < until) {
        frame = requestAnimationFrame(adjust);
      }
    };
    const intents = ["wheel", "touchmove", "keydown", "pointerdown"];
    this.#stop = () => {
      cancelAnimationFrame(frame);
      for (const intent of intents) {
        box.removeEventListener(intent, this.#stop);
      }
    };
    for (const intent of intents) {
      box.addEventListener(intent, this.#stop, { passive: true });
    }
    adjust();
  }

  #topOf(turnId: TurnId | undefined): number | null {
    if (turnId === undefined) {
      return null;
    }
    const turn = this.props.box.current?.querySelector(`[data-turn-id="${CSS.escape(turnId)}"]`);
    return turn?.getBoundingClientRect().top ?? null;
  }
}
