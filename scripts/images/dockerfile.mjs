/**
 * @typedef {{ name: string, args: string }} Instruction
 * @typedef {{ name: string, base: string, instructions: Instruction[] }} Stage
 */

/**
 * The stages of a Dockerfile, each with its instructions in order.
 * @param {string} text
 * @returns {Map<string, Stage>}
 */
export function readDockerfile(text) {
  /** @type {Map<string, Stage>} */
  const stages = new Map();
  /** @type {Stage | undefined} */
  let stage;
  const lines = text
    .replace(/^\s*#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n");
  for (const line of lines) {
    const [, name = "", args = ""] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === "") {
      continue;
    }
    if (name === "FROM") {
      const [, base = "", as = ""] = /^(\S+)\s+AS\s+(\S+)$/.exec(args) ?? [];
      stage = { name: as, base, instructions: [] };
      stages.set(as, stage);
    } else {
      stage?.instructions.push({ name, args });
    }
  }
  return stages;
}

/**
 * The last `CMD` or `ENTRYPOINT` of a stage, or the words of its `HEALTHCHECK`.
 * @param {Stage} stage
 * @param {"CMD" | "ENTRYPOINT" | "HEALTHCHECK"} name
 * @returns {string[]}
 */
export function wordsOf(stage, name) {
  const args = stage.instructions.findLast((one) => one.name === name)?.args ?? "[]";
  return JSON.parse(args.slice(args.indexOf("[")));
}

/**
 * @param {Stage} stage
 * @returns {Record<string, string>}
 */
export function environmentOf(stage) {
  const pairs = stage.instructions
    .filter(({ name }) => name === "ENV")
    .flatMap(({ args }) => args.split(/\s+/))
    .map((pair) => pair.split("="));
  return Object.fromEntries(pairs);
}
