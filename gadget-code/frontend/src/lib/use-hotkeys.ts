import { useEffect, useEffectEvent } from "react";
import { isComposing } from "./is-composing.ts";

/** A key with its modifiers, as `mod+shift+o`; mod is Cmd on a Mac and Ctrl elsewhere. */
export type Hotkeys = Record<string, () => void>;

function nameOf(event: KeyboardEvent): string {
  const parts = [];
  if (event.metaKey || event.ctrlKey) {
    parts.push("mod");
  }
  if (event.altKey) {
    parts.push("alt");
  }
  if (event.shiftKey && event.key.length > 1) {
    parts.push("shift");
  } else if (event.shiftKey && /[a-z]/i.test(event.key)) {
    parts.push("shift");
  }
  parts.push(event.key.toLowerCase());
  return parts.join("+");
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Keys without a modifier are left alone while somebody types. */
export function useHotkeys(hotkeys: Hotkeys): void {
  const find = useEffectEvent((name: string) => hotkeys[name]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.repeat || isComposing(event) || event.defaultPrevented) {
        return;
      }
      const name = nameOf(event);
      const run = find(name);
      const isPlain = !name.startsWith("mod+") && !/^f\d+$/.test(name);
      if (run === undefined || (isPlain && isTyping(event.target))) {
        return;
      }
      event.preventDefault();
      run();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
