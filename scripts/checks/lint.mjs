import { runTool, toolResult } from "./reading/run-tool.mjs";

/** @param {string} root */
export async function check(root) {
  const result = await runTool(root, "oxlint", ["--type-aware", "--deny-warnings"]);
  return toolResult("lint", result, /on (\d+) files?/);
}
