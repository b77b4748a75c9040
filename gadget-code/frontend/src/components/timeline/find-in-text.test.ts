import { expect, test } from "vitest";
import { findInText } from "./find-in-text.ts";

function found(html: string, words: string): string[] {
  const root = document.createElement("div");
  root.innerHTML = html;
  return findInText(root, words).map(String);
}

test("words are found in any case, each time that they stand there", () => {
  expect(found("<p>A gadget. Gadgets!</p><p>GADGET</p>", "gadget")).toEqual([
    "gadget",
    "Gadget",
    "GADGET",
  ]);
});

test("colours may split what is looked for, blocks may not", () => {
  expect(found("<pre><i>con</i><i>st n</i></pre>", "const n")).toEqual(["const n"]);
  expect(found("<p>con</p><p>st n</p>", "const n")).toEqual([]);
});

test("what only a machine reads or a button says is no hit", () => {
  const html = '<p>word</p><button>word</button><h2 class="sr-only">word</h2>';
  expect(found(html, "word")).toEqual(["word"]);
});

test("nothing is looked for where only spaces were typed", () => {
  expect(found("<p>a  b</p>", " ")).toEqual([]);
});

test("letters that change their length leave the places right", () => {
  expect(found("<p>İstanbul, then a word</p>", "word")).toEqual(["word"]);
});
