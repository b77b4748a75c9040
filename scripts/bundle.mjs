import { bundlePart } from "./bundle-part.mjs";
import { isPartName } from "./parts.mjs";
import { Problem, runMain } from "./problem.mjs";
import { root } from "./root.mjs";

await runMain(async () => {
  const name = process.argv[2] ?? "";
  if (!isPartName(name)) {
    throw new Problem(`There is no part "${name}" to bundle.`);
  }
  await bundlePart(root, name);
});
