import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { root as repository } from "./shared/root.mjs";

/**
 * A folder with these files, for as long as the test runs. `fromHere` names files of this
 * repository that are copied into it, so that a check is tried with its real configuration.
 */
export function fixtureTree(files: Record<string, string>, fromHere: string[] = []): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "gadget-check-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of fromHere) {
    cpSync(join(repository, path), join(root, path));
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}
