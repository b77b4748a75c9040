import { expect, it } from "vitest";
import { grammarOf } from "./grammar-of.ts";

it.each([
  ["ts", "typescript"],
  ["py", "python"],
  ["ex", "elixir"],
  ["lua", "lua"],
  ["vue", "vue"],
  ["patch", "diff"],
  ["sh", "bash"],
])("the word %s means %s", (word, name) => {
  expect(grammarOf(word)?.name).toBe(name);
});

it.each(["", "no-such-language", "constructor", "__proto__"])("%j means no language", (word) => {
  expect(grammarOf(word)).toBeUndefined();
});
