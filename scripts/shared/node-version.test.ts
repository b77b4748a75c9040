import { expect, it } from "vitest";
import { nodeVersionProblem } from "./node-version.mjs";

it.each(["20.19.0", "20.20.2", "22.0.0", "24.1.0"])("accepts Node %s", (version) => {
  expect(nodeVersionProblem(version)).toBeUndefined();
});

it.each(["20.18.9", "18.20.0", "4.0.0"])("refuses Node %s with one sentence", (version) => {
  expect(nodeVersionProblem(version)).toContain(`this is Node ${version}: install a newer one`);
});
