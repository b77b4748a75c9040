import { useEffect, useEffectEvent } from "react";
import { isComposing } from "../../lib/is-composing.ts";

const escapeWindowMs = 3_000;

interface DoubleEscape {
  /**
   * The turn that can be aborted; the listener exists only while there is one. A new turn
   * starts unarmed, so that an Esc meant for the last one can't end it.
   */
  turnId: string | undefined;
  onArm: () => void;
  onDisarm: () => void;
  onAbort: () => void;
}

const overlays =
  'dialog[open], [role="dialog"], [role="alertdialog"], [role="menu"], [data-overlay]';
const owners = ".cm-editor, .xterm, [data-owns-escape]";

/** An open overlay is closed by Esc, and in an editor or a terminal Esc has a meaning of its own. */
function isForOther(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : document.activeElement;
  return document.querySelector(overlays) !== null || (target?.closest(owners) ?? null) !== null;
}

/** Rule A40: Esc arms, a second Esc within three seconds aborts. */
export function useDoubleEscape({ turnId, onArm, onDisarm, onAbort }: DoubleEscape): void {
  const arm = useEffectEvent(onArm);
  const disarm = useEffectEvent(onDisarm);
  const abort = useEffectEvent(onAbort);

  useEffect(() => {
    if (turnId === undefined) {
      return;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    let foreign = false;

    const clear = (): void => {
      if (timer === undefined) {
        return;
      }
      clearTimeout(timer);
      timer = undefined;
      disarm();
    };

    // An overlay may be gone by the time the key bubbles up here: look before it can act.
    const look = (event: KeyboardEvent): void => {
      foreign = event.key === "Escape" && isForOther(event);
    };

    const decide = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.repeat || event.defaultPrevented) {
        return;
      }
      if (foreign || isComposing(event)) {
        return;
      }
      if (timer === undefined) {
        timer = setTimeout(clear, escapeWindowMs);
        arm();
        return;
      }
      clear();
      abort();
    };

    window.addEventListener("keydown", look, true);
    window.addEventListener("keydown", decide);
    return () => {
      window.removeEventListener("keydown", look, true);
      window.removeEventListener("keydown", decide);
      clear();
    };
  }, [turnId]);
}
