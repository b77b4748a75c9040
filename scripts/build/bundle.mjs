import { Problem, runMain } from "../shared/problem.mjs";
import { root } from "../shared/root.mjs";
import { bundlePart } from "./bundle-part.mjs";
import { isPartName } from "./parts.mjs";

await runMain(async () => {
  const name = process.argv[2] ?? "";
  if (!isPartName(name)) {
    throw new Problem(`There is no part "${name}" to bundle.`);
  }
  await bundlePart(root, name);
});
