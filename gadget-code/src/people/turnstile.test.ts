import { describe, expect, it } from "vitest";
import { Turnstile } from "./turnstile.ts";

const limits = { inside: 2, waiting: 1, sentence: "Too many." };

describe("a turnstile", () => {
  it("lets two of a person in, one wait, and refuses the rest", async () => {
    const turnstile = new Turnstile(limits);
    const leave = await turnstile.enter("a");
    await turnstile.enter("a");
    let third = false;
    const waiting = turnstile.enter("a").then(() => {
      third = true;
    });
    await expect(turnstile.enter("a")).rejects.toMatchObject({ code: "rate_limited" });
    expect(third).toBe(false);
    leave();
    leave();
    await waiting;
    const fourth = turnstile.enter("a");
    await expect(turnstile.enter("a")).rejects.toMatchObject({ code: "rate_limited" });
    void fourth;
  });

  it("makes nobody wait for another person, and gives the place back after a failure", async () => {
    const turnstile = new Turnstile({ ...limits, inside: 1, waiting: 0 });
    const fails = () => Promise.reject(new Error("no"));
    await expect(turnstile.run("a", fails)).rejects.toThrow("no");
    await turnstile.enter("a");
    expect(await turnstile.run("b", () => Promise.resolve(1))).toBe(1);
  });
});
