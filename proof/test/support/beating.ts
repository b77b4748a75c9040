import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const beat = (file: string) =>
  `trap '' TERM HUP INT; while :; do echo x >> ${file}; sleep 0.02; done`;

/** A command that beats into a file from three processes that survive a plain kill. */
export const beating = (file: string): string =>
  `setsid sh -c "${beat(file)}" & ( sh -c "${beat(file)}" & ); ${beat(file)}`;

export async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

export async function grows(file: string): Promise<boolean> {
  const before = await sizeOf(file);
  await delay(200);
  return (await sizeOf(file)) > before;
}
