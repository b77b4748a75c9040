import { safeCut } from "@gadget/ai";
import type { CommandOptions, CommandResult } from "./command.ts";
import { startCommand } from "./run-command.ts";
import type { SupervisorCapability } from "./supervisor-capability.ts";

const keptCharacters = 256 * 1024;

/** A command that goes on while its session lives; the last part of its output is kept. */
export interface BackgroundCommand {
  /** Both streams in the order of arrival, and how much of the beginning was dropped. */
  output(): { text: string; dropped: number };
  /** Null while it runs. */
  result(): CommandResult | null;
  done: Promise<CommandResult>;
  stop(): Promise<CommandResult>;
}

/** Starts a command under the same supervisor as any other; its signal, too, ends it for good. */
export function startBackgroundCommand(
  options: CommandOptions,
  capability: SupervisorCapability,
): BackgroundCommand {
  let text = "";
  let dropped = 0;
  let result: CommandResult | null = null;
  const running = startCommand(
    {
      ...options,
      onOutput: (chunk, stream) => {
        text += chunk;
        // Cut in large steps: one copy of the tail for each doubling, not for each chunk.
        if (text.length > 2 * keptCharacters) {
          const cut = safeCut(text, text.length - keptCharacters);
          dropped += cut;
          text = text.slice(cut);
        }
        options.onOutput?.(chunk, stream);
      },
    },
    capability,
  );
  const done = running.done.then((ended) => {
    result = ended;
    return ended;
  });
  return {
    output: () => {
      const excess = safeCut(text, Math.max(0, text.length - keptCharacters));
      return { text: text.slice(excess), dropped: dropped + excess };
    },
    result: () => result,
    done,
    stop: async () => {
      await running.stop();
      return done;
    },
  };
}
