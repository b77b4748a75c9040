import { z } from "zod";

/** What the launcher says to its drone over Node's IPC channel. */
const FromLauncher = z.discriminatedUnion("type", [
  z.object({ type: z.literal("server"), url: z.string() }),
  z.object({ type: z.literal("enroll"), server: z.string(), code: z.string() }),
  z.object({ type: z.literal("stop") }),
]);
export type FromLauncher = z.infer<typeof FromLauncher>;

/** What the drone says to its launcher. */
export type ToLauncher = { type: "need-enrollment" } | { type: "online" };

export interface LauncherChannel {
  send(message: ToLauncher): void;
}

/** The channel to the launcher that started this process; `onLost`: the launcher is gone. */
export function openLauncherChannel(
  onMessage: (message: FromLauncher) => void,
  onLost: () => void,
): LauncherChannel {
  process.on("message", (message) => {
    const parsed = FromLauncher.safeParse(message);
    // A newer launcher may say more than we know.
    if (parsed.success) {
      onMessage(parsed.data);
    }
  });
  process.once("disconnect", onLost);
  return {
    send: (message) => {
      if (process.connected) {
        process.send?.(message, undefined, undefined, () => {});
      }
    },
  };
}
