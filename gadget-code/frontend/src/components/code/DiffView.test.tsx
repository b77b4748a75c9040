import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { DiffView } from "./DiffView.tsx";

it("shows the hunks and leaves out the headers, also where lines look like headers", () => {
  const diff = "--- a/list.md\n+++ b/list.md\n@@ -1,2 +1,2 @@\n--- was a rule\n+++ is one\n same";
  render(<DiffView path="list.md" diff={diff} />);
  const text = screen.getByRole("figure").textContent;
  expect(text).toContain("--- was a rule");
  expect(text).toContain("+++ is one");
  expect(text).not.toContain("a/list.md");
});
