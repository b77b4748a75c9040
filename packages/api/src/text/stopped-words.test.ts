import { expect, it } from "vitest";
import { stoppedWords } from "./stopped-words.ts";

it.each([
  [{ afterMs: 41, processes: 4, left: 0 }, "Stopped in 41 ms · 4 processes ended, 0 left"],
  [{ afterMs: 3_250, processes: 1, left: 2 }, "Stopped in 3.2 s · 1 process ended, 2 left"],
  [
    { afterMs: 7, processes: 0, left: 0, unproven: true },
    "Stopped in 7 ms · 0 processes ended, none seen to be left",
  ],
  [
    { afterMs: 7, processes: 2, left: 1, unproven: true },
    "Stopped in 7 ms · 2 processes ended, 1 left",
  ],
])("says of %o what is proven: %s", (stopped, words) => {
  expect(stoppedWords(stopped)).toBe(words);
});
