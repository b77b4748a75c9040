import { describe, expect, it } from "vitest";
import { sourceOf } from "./source-of.ts";

describe("where a project's files come from", () => {
  it.each(["https://example.org/x.git", "ssh://git@example.org/x", "git@example.org:me/x.git"])(
    "is a Git address: %s",
    (gitUrl) => {
      expect(sourceOf(gitUrl, undefined)).toEqual({ kind: "git", gitUrl });
    },
  );

  it("is refused in a sentence without the name of a field", () => {
    expect(() => sourceOf("file:///etc", undefined)).toThrow(
      "Use an address that starts with https:// or ssh://, or one like git@example.org:me/project.git.",
    );
    expect(() => sourceOf("https://example.org/x", "/home/x")).toThrow(
      "Give a Git address or a folder, not both.",
    );
  });
});
