import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt } from "./build/ensure-built.mjs";
import { ensureInstalled } from "./build/ensure-installed.mjs";
import { makeImage } from "./images/make-image.mjs";
import { Problem, runMain } from "./shared/problem.mjs";
import { withProgress } from "./shared/progress.mjs";
import { root } from "./shared/root.mjs";
import { runCommand } from "./shared/run-command.mjs";
import { testEnvironment } from "./testing/test-environment.mjs";

// The whole Dockerfile without Docker: the stage `build` in a clean folder, with its own `npm ci`,
// then the images' contents from it, started and used by the test of the images.
await runMain(async () => {
  await ensureInstalled(root);
  await ensureBuilt(root, ["embedded-mongo", "cli"]);
  const folder = await mkdtemp(join(tmpdir(), "gadget-images-"));
  try {
    const { app } = await withProgress("Making the stage build", () =>
      makeImage({ root, target: "build", into: folder }),
    );
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const args = [vitest, "run", "--project", "unit", "scripts/images/images"];
    const env = { ...testEnvironment(process.env), IMAGES_BUILT_IN: app };
    const { code, output } = await runCommand(process.execPath, args, { cwd: root, env });
    process.stdout.write(output);
    if (code !== 0) {
      throw new Problem("The images don't work: see above.");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
