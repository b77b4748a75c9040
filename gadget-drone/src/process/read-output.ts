import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { CommandOptions } from "./command.ts";

/** A process outside our reach may hold the pipe; nobody waits for it longer than this. */
const drainMs = 200;

/** Hands on both streams as decoded text; `drained` waits, within a cap, for what is still in the pipes. */
export function readOutput(
  child: ChildProcess,
  onOutput: CommandOptions["onOutput"],
): { drained(): Promise<void> } {
  const streams: Readable[] = [];
  const open = new Set<Readable>();
  for (const name of ["stdout", "stderr"] as const) {
    const stream = child[name];
    if (!stream) continue;
    streams.push(stream);
    open.add(stream);
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => onOutput?.(text, name));
    stream.on("error", () => {});
    stream.on("close", () => open.delete(stream));
  }
  return {
    drained: () =>
      new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          for (const stream of streams) stream.destroy();
          resolve();
        };
        const timer = setTimeout(finish, drainMs);
        const check = () => {
          if (open.size === 0) finish();
        };
        for (const stream of open) stream.once("close", check);
        check();
      }),
  };
}
