import { requireNodeVersion } from "./shared/node-version.mjs";

requireNodeVersion();
const [{ ensureBuilt }, { ensureInstalled }, { isPartName, parts }, { Problem, runMain }] =
  await Promise.all([
    import("./build/ensure-built.mjs"),
    import("./build/ensure-installed.mjs"),
    import("./build/parts.mjs"),
    import("./shared/problem.mjs"),
  ]);
const { root } = await import("./shared/root.mjs");

await runMain(async () => {
  const asked = process.argv.slice(2);
  const names = (asked.length > 0 ? asked : Object.keys(parts)).map((name) => {
    if (isPartName(name)) {
      return name;
    }
    throw new Problem(`There is no part "${name}": build one of ${Object.keys(parts).join(", ")}.`);
  });
  await ensureInstalled(root);
  const built = await ensureBuilt(root, names);
  for (const name of names) {
    process.stdout.write(`${name}: ${built.includes(name) ? "built" : "fresh"}\n`);
  }
});
