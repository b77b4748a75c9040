import { runTool } from "./reading/run-tool.mjs";

/**
 * The compose file against the schema and dclint's rules.
 * @param {string} root
 */
export async function check(root) {
  const args = ["--formatter", "json", "--max-warnings", "0", "docker-compose.yml"];
  const { code, output } = await runTool(root, "dclint", args);
  const problems = code === 0 ? [] : [output.trim()];
  const seen = output.includes('docker-compose.yml"');
  if (!seen) {
    problems.push(`dclint looked at no file:\n${output.trim()}`);
  }
  return { name: "compose", problems, summary: "docker-compose.yml" };
}
