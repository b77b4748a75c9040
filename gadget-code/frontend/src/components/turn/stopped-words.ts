import type { Stopped } from "@gadget/api";
import { count, duration } from "../../lib/duration.ts";

/** `Stopped in 41 ms · 4 processes ended, 0 left` */
export function stoppedWords({ afterMs, processes, left, unproven }: Stopped): string {
  const ended = `${count(processes, "process", "processes")} ended`;
  const rest = unproven === true && left === 0 ? "none seen to be left" : `${left} left`;
  return `Stopped in ${duration(afterMs)} · ${ended}, ${rest}`;
}
