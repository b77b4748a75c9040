import { describe, expect, it } from "vitest";
import { modelWaitRecord, modelWaitWords } from "./model-wait-words.ts";

const at = "2026-01-02T03:04:05.000Z";
const after = (ms: number) => Date.parse(at) + ms;

describe("what is said of a model that is waited for", () => {
  it("counts a silence on from what the drone had counted", () => {
    expect(modelWaitWords({ ms: 2_000, at }, after(0))).toBe("Waiting for the model… 2 s");
    expect(modelWaitWords({ ms: 2_000, at }, after(5_100))).toBe("Waiting for the model… 7 s");
    expect(modelWaitWords({ ms: 2_000, at }, after(-60_000))).toBe("Waiting for the model… 2 s");
  });

  it("counts a back-off down, and names what the provider said", () => {
    const busy = { ms: 0, retryMs: 12_000, status: 429, at };
    expect(modelWaitWords(busy, after(0))).toBe("Rate-limited (429); trying again in 12 s");
    expect(modelWaitWords(busy, after(8_500))).toBe("Rate-limited (429); trying again in 4 s");
    expect(modelWaitWords(busy, after(12_000))).toBe("Rate-limited (429); trying again now");
    const failed = { ms: 0, retryMs: 4_000, status: 500, at };
    expect(modelWaitWords(failed, after(0))).toBe("The model fails (500); trying again in 4 s");
    const away = { ms: 0, retryMs: 2_000, at };
    expect(modelWaitWords(away, after(0))).toBe("The model can't be reached; trying again in 2 s");
  });

  it("is nothing while it lasts less than two seconds", () => {
    const away = { ms: 0, retryMs: 500, at };
    expect(modelWaitWords(away, after(400))).toBeUndefined();
  });

  it("becomes a record once it is over", () => {
    expect(modelWaitRecord({ ms: 0, retryMs: 12_000, status: 429 })).toBe(
      "Rate-limited (429). Tried again after 12 s.",
    );
    expect(modelWaitRecord({ ms: 0, retryMs: 12_000, status: 503 })).toBe(
      "The model was busy (503). Tried again after 12 s.",
    );
  });
});
