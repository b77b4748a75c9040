import type { Clock } from "../clock.ts";

const everyMs = 2_000;

/** Git's progress as lines for people, from 2 s on and not too many. */
export function cloneProgress(clock: Clock, show: (line: string) => void): (text: string) => void {
  let next = clock.now() + everyMs;
  return (text) => {
    const line =
      text
        .trim()
        .split(/[\r\n]+/)
        .at(-1) ?? "";
    if (clock.now() < next || line === "") return;
    next = clock.now() + everyMs;
    show(line);
  };
}
