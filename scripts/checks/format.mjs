import { runTool, toolResult } from "./reading/run-tool.mjs";

/** @param {string} root */
export async function check(root) {
  const result = await runTool(root, "biome", ["check", "--colors=off", "--max-diagnostics=50"]);
  return toolResult("format", result, /Checked (\d+) files?/);
}
