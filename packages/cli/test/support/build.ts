import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Builds what ships, where it is stale: the tests run the bundles, as users do. */
export async function buildBundles(): Promise<void> {
  const script = `
    import { ensureBuilt } from "./scripts/build/ensure-built.mjs";
    await ensureBuilt(process.cwd(), ["cli", "server", "drone", "embedded-mongo"]);`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
}
