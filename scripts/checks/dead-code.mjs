import { runTool } from "./reading/run-tool.mjs";

/** @param {string} root */
export async function check(root) {
  const { code, output } = await runTool(root, "knip", ["--no-progress", "--no-config-hints"]);
  const problems = code === 0 ? [] : [output.trim()];
  return { name: "dead-code", problems, summary: "exports, files and dependencies" };
}
