import { call, type Script, say } from "../script.ts";
import { lastLine } from "../tool-result.ts";
import { command, timeoutMs } from "../wishes.ts";

// Ignored signals are inherited, so TERM ends neither the shells nor their sleeps. Each loop
// counts its beats and ends by itself within 10 minutes; it prints and does nothing else.
export const runaway = `trap '' TERM INT HUP
if sleep 0.5 2>/dev/null; then pause=0.5 beats=1100; else pause=1 beats=550; fi
loop='i=0; while [ $i -lt '$beats' ]; do i=$((i+1)); echo "$0: still here ($i)" || exit; sleep '$pause'; done'
if command -v setsid >/dev/null 2>&1; then setsid sh -c "$loop" "child in a session of its own" & fi
sh -c "$loop" "background child" &
sh -c "$loop" "command"
wait`;

export const wontStop: Script = {
  id: "wont-stop",
  words: /\b(?:won['’]?t|will not|never|doesn['’]?t|does not|can['’]?t|cannot) (?:be )?stop/i,
  next(conversation) {
    const last = conversation.calls.at(-1);
    if (last !== undefined) {
      return say(
        `The command has ended. The last line that I got from it: \`${lastLine(last.result)}\`. I don't start it again unless you ask.`,
      );
    }
    return call(
      conversation,
      "I start a command that ignores every polite request to end, forks into a session of its own and prints twice a second. **Press Esc twice to stop it.** Left alone it ends within 10 minutes; it only prints.",
      { shell: [command(runaway), timeoutMs(600_000)] },
    );
  },
};
