import type { SettledCall } from "../conversation.ts";
import { call, type Script, say } from "../script.ts";
import { firstLine, looksFailed } from "../tool-result.ts";
import { content, newText, oldText, path } from "../wishes.ts";

const file = "notes/hello.md";
const draft = `# Hello

This note was written by the scripted demo model.

- [ ] Look at this change in the diff
- [ ] Undo it, if you like
`;
const before = "- [ ] Look at this change in the diff";
const after = "- [x] Look at this change in the diff";

export const writeFile: Script = {
  id: "write-file",
  words: /\bwrite (?:and edit )?(?:me )?a (?:new )?(?:file|note)\b/i,
  next(conversation) {
    const [written, edited] = conversation.calls;
    if (written === undefined) {
      return call(conversation, `I write the file \`${file}\`.`, {
        write_file: [path(file), content(draft)],
      });
    }
    if (looksFailed(written.result)) {
      return say(`The file was not written. The tool said: ${firstLine(written.result)}`);
    }
    if (edited === undefined) {
      const next = call(conversation, "Then I tick off its first line.", {
        edit_file: [path(file), oldText(before), newText(after)],
      });
      return next.calls ? next : say(report(written));
    }
    return say(report(written, edited));
  },
};

function report(written: SettledCall, edited?: SettledCall): string {
  const lines = [
    `- I wrote \`${file}\`, ${draft.length} characters. The tool said: ${firstLine(written.result)}`,
  ];
  if (edited !== undefined && looksFailed(edited.result)) {
    lines.push(`- The edit did not work. The tool said: ${firstLine(edited.result)}`);
  } else if (edited !== undefined) {
    lines.push(`- I ticked off its first line. The tool said: ${firstLine(edited.result)}`);
  }
  return [...lines, "", "Undo changes, under this turn, takes all of it back."].join("\n");
}
