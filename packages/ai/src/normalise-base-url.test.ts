import { describe, expect, it } from "vitest";
import { knownServers } from "./known-servers.ts";
import { normaliseBaseUrl } from "./normalise-base-url.ts";

describe("normaliseBaseUrl", () => {
  it.each([
    ["openai", undefined, "https://api.openai.com/v1"],
    ["openai", "http://127.0.0.1:1234", "http://127.0.0.1:1234/v1"],
    ["openai", "localhost:8000/v1/", "http://localhost:8000/v1"],
    ["openai", "https://x.example/api/openai/", "https://x.example/api/openai"],
    ["openai", "not a url", "not a url"],
    ["ollama", "", "http://127.0.0.1:11434"],
    ["ollama", "0.0.0.0", "http://127.0.0.1:11434"],
    ["ollama", "gpu-box", "http://gpu-box:11434"],
    ["ollama", ":11500", "http://127.0.0.1:11500"],
    ["ollama", "https://ollama.example", "https://ollama.example"],
    ["ollama", "http://gpu:11434/v1", "http://gpu:11434"],
    ["ollama", "http://gpu/prefix/api/", "http://gpu/prefix"],
  ] as const)("%s %s is %s", (kind, given, expected) => {
    expect(normaliseBaseUrl(kind, given)).toBe(expected);
  });

  it("leaves the addresses of known servers as they are", () => {
    for (const { kind, baseUrl } of knownServers) {
      expect(normaliseBaseUrl(kind, baseUrl)).toBe(baseUrl);
    }
  });
});
