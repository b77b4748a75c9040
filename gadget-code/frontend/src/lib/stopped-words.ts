import type { Stopped } from "@gadget/api";
import { count, duration } from "./duration.ts";

/** `Stopped in 41 ms · 4 processes ended, 0 left` */
export function stoppedWords({ afterMs, processes, left }: Stopped): string {
  return `Stopped in ${duration(afterMs)} · ${count(processes, "process", "processes")} ended, ${left} left`;
}
