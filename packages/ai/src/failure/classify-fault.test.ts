import { describe, expect, it } from "vitest";
import { classifyError, classifyFault, retryAfterMs, type Subject } from "./classify-fault.ts";

const subject: Subject = {
  kind: "openai",
  baseUrl: "https://api.example/v1",
  model: "m-1",
  secrets: ["sk-very-secret"],
};

const connection = (code: string, message = "x", answering = false) =>
  classifyFault({ type: "connection", code, message, answering }, subject);

describe("classifyError", () => {
  it.each([
    [429, { error: { code: "insufficient_quota", message: "no quota" } }, "rate_limited", false],
    [429, { error: { message: "You exceeded your current quota" } }, "rate_limited", true],
    [400, { error: { code: "context_length_exceeded", message: "x" } }, "context_too_long", false],
    [400, [{ error: { code: 400, message: "input is too long" } }], "context_too_long", false],
    [404, { error: { code: "model_not_found", message: "x" } }, "not_found", false],
    [404, { detail: "Not Found" }, "not_found", false],
    [422, { detail: "bad" }, "protocol", false],
    [400, { error: { message: "x", code: "content_filter" } }, "refused", false],
    [503, "upstream connect error", "overloaded", true],
    [529, { error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded", true],
    [undefined, { error: "llama runner process has terminated" }, "overloaded", true],
  ])("HTTP %s %o is %s", (status, body, kind, retryable) => {
    expect(classifyError(body, subject, status)).toMatchObject({ kind, retryable });
  });

  it.each([
    ["This model's maximum context length is 8192 tokens. However, you requested 9000", 8192],
    ["request (9000 tokens) exceeds the available context size (4096 tokens), try more", 4096],
    ["prompt is too long", undefined],
  ])("reads how much the model can read from: %s", (message, contextLength) => {
    const failure = classifyError({ error: { message } }, subject, 400);
    expect(failure).toMatchObject({ kind: "context_too_long" });
    expect(failure.contextLength).toBe(contextLength);
    const named = { error: { message: "too many tokens", n_ctx: 512, n_prompt_tokens: 45_081 } };
    expect(classifyError(named, subject, 400).contextLength).toBe(512);
  });

  it("hides secrets and shortens what the server said", () => {
    const text = `key sk-very-secret ${"x".repeat(2_000)}`;
    const { detail } = classifyError({ error: { message: text } }, subject, 400);
    expect(detail).toContain("[redacted]");
    expect(detail).not.toContain("sk-very-secret");
    expect(detail?.length).toBeLessThan(600);
  });
});

describe("classifyFault", () => {
  it.each([
    ["ECONNREFUSED", true, "Nothing listens"],
    ["ENOTFOUND", false, "No host"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", false, "TLS"],
    ["ETIMEDOUT", true, "silent"],
    ["ECONNTIMEOUT", true, "can't be reached"],
    ["ERR_INVALID_URL", false, "not a valid"],
    ["EHOSTUNREACH", true, "can't be reached"],
  ])("%s is a network failure, retryable: %s", (code, retryable, words) => {
    const failure = connection(code);
    expect(failure).toMatchObject({ kind: "network", retryable });
    expect(failure.message).toContain(words);
  });

  it("A11 never takes the words of an error for an abort", () => {
    const broken = connection("ECONNRESET", "aborted", true);
    expect(broken).not.toHaveProperty("detail");
    expect(broken.message).toMatch(/broke in the middle of the answer. Send again.$/);
    expect(connection("ABORT_ERR", "This operation was aborted", true).kind).toBe("network");
    expect(classifyError({ error: "aborted" }, subject, 499).kind).toBe("protocol");
  });
});

describe("retryAfterMs", () => {
  it("reads seconds, dates and milliseconds", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(retryAfterMs("12", undefined)).toBe(12_000);
    expect(retryAfterMs("0.5", undefined)).toBe(500);
    expect(retryAfterMs("12", "250")).toBe(250);
    expect(retryAfterMs("Thu, 01 Jan 2026 00:00:30 GMT", undefined, now)).toBe(30_000);
    expect(retryAfterMs("Wed, 31 Dec 2025 00:00:00 GMT", undefined, now)).toBe(0);
    expect(retryAfterMs("soon", undefined)).toBeUndefined();
    expect(retryAfterMs(undefined, undefined)).toBeUndefined();
  });
});
