import type { Stopped } from "../chat-turn.ts";
import { count } from "./count.ts";
import { duration } from "./duration.ts";

/** `0 left`, claimed only where it is proven. */
export function leftWords({ left, unproven }: Pick<Stopped, "left" | "unproven">): string {
  return unproven === true && left === 0 ? "none seen to be left" : `${left} left`;
}

/** The receipt of an abort: `Stopped in 41 ms · 4 processes ended, 0 left`. */
export function stoppedWords({ afterMs, processes, ...rest }: Stopped): string {
  const ended = `${count(processes, "process", "processes")} ended`;
  return `Stopped in ${duration(afterMs)} · ${ended}, ${leftWords(rest)}`;
}
