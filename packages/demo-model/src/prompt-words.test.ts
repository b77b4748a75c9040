import { expect, it } from "vitest";
import { promptWords } from "./prompt-words.ts";

it.each([
  ["hello", "hello"],
  ["one\n\ntwo", "one\n\ntwo"],
  ["(Images returned by read_file:)\n\nhello", "hello"],
  ["old\n\n[The turn was aborted by the user.]\n\nnew", "new"],
  ["old\n\n[The turn was aborted by the user.]", "old"],
  ["<system-reminder>\nThe turn was aborted.\n</system-reminder>\n\nnew", "new"],
  [
    "<transcript>\n[user]\nlong story\n\n[user]\nexplore\n</transcript>\n\nSum it up.",
    "Sum it up.",
  ],
  ["Make <b>this</b> bold", "Make <b>this</b> bold"],
  ["(a note) and words", "(a note) and words"],
  ["(a note)", ""],
])("reads the user's words in %j", (text, words) => {
  expect(promptWords(text)).toBe(words);
});
