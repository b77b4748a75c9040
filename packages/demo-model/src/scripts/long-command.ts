import { call, type Script, say } from "../script.ts";
import { lastLine, looksFailed } from "../tool-result.ts";
import { command, timeoutMs } from "../wishes.ts";

const countToSixty =
  'i=1; while [ $i -le 60 ]; do echo "$i of 60"; sleep 1; i=$((i+1)); done; echo "Done counting."';

export const longCommand: Script = {
  id: "long-command",
  words: /\blong[- ]running command\b|\bcount to (?:60|sixty)\b/i,
  next(conversation) {
    const last = conversation.calls.at(-1);
    if (last === undefined) {
      return call(
        conversation,
        "I run a command that counts to 60, once a second. Its output appears while it runs.",
        { shell: [command(countToSixty), timeoutMs(90_000)] },
      );
    }
    if (/Done counting\./.test(last.result)) {
      return say("The command counted to 60 and ended by itself, about a minute after its start.");
    }
    const verb = looksFailed(last.result) ? "did not run to its end" : "ended before 60";
    return say(`The command ${verb}. The last line that I got: \`${lastLine(last.result)}\`.`);
  },
};
