import { join } from "node:path";
import { root as repository } from "../../shared/root.mjs";
import { runCommand } from "../../shared/run-command.mjs";

/**
 * Runs an installed tool on a tree. The tool is always this repository's own, so that a check can
 * be tried on a tree that has no packages.
 * @param {string} root
 * @param {string} tool
 * @param {string[]} args
 */
export function runTool(root, tool, args) {
  return runCommand(join(repository, "node_modules/.bin", tool), args, {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
  });
}

/**
 * The result of a check by a tool that says how many files it looked at. A tool that looked at
 * none has checked nothing, whatever its exit code says.
 * @param {string} name
 * @param {import("../../shared/run-command.mjs").CommandResult} result
 * @param {RegExp} countPattern its first group is the number of files
 */
export function toolResult(name, { code, output }, countPattern) {
  const count = Number(countPattern.exec(output)?.[1] ?? 0);
  const problems = code === 0 ? [] : [output.trim()];
  if (code === 0 && count === 0) {
    problems.push(`It looked at no file:\n${output.trim()}`);
  }
  return { name, problems, summary: `${count} files` };
}
