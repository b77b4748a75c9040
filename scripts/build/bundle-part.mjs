import { chmod, copyFile, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Problem } from "../shared/problem.mjs";
import { partOf } from "./parts.mjs";

/** Modules with native code: they stay in node_modules and are loaded from there. */
const native = ["lmdb"];

/**
 * Libraries try optional modules (the MongoDB driver: kerberos, snappy, aws4, ...) inside
 * try/catch. One that is not installed stays a plain require, so that their catch still works.
 * What our own source can't resolve is an error.
 * @type {import("rolldown").Plugin}
 */
const optionalModules = {
  name: "optional-modules",
  resolveId: {
    filter: { id: /^[^./\0]/ },
    async handler(source, importer, { kind }) {
      if (importer?.includes("/node_modules/") !== true) {
        return null;
      }
      const found = await this.resolve(source, importer, { skipSelf: true, kind });
      return found ?? { id: source, external: true };
    },
  },
};

/**
 * @param {string} root
 * @param {import("./parts.mjs").Bundle} bundle
 * @param {string} version
 */
async function writeBundle(root, bundle, version) {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    input: join(root, bundle.entry),
    cwd: root,
    platform: "node",
    external: native.flatMap((name) => [name, new RegExp(`^${name}/`)]),
    plugins: [optionalModules],
    transform: {
      target: "node20.19",
      define: { "process.env.GADGET_VERSION": JSON.stringify(version) },
    },
    logLevel: "warn",
    onLog(level, log, handle) {
      if (log.code === "UNRESOLVED_IMPORT") {
        throw new Problem(log.message);
      }
      // Libraries' own oddities are not ours to mend.
      if (log.code === "EVAL" || log.code === "CIRCULAR_DEPENDENCY") {
        return;
      }
      handle(level, log);
    },
  });
  const { output } = await build.generate({ format: "esm", codeSplitting: false });
  await build.close();
  const banner = bundle.executable === true ? "#!/usr/bin/env node\n" : "";
  const path = join(root, bundle.file);
  await mkdir(dirname(path), { recursive: true });
  // Written aside and renamed: a process that starts meanwhile sees the old file or the new one.
  await writeFile(`${path}.new`, banner + output[0].code.replace(/^#!.*\n/, ""));
  if (bundle.executable === true) {
    await chmod(`${path}.new`, 0o755);
  }
  await rename(`${path}.new`, path);
}

/**
 * Builds one part's bundles and puts its assets beside them.
 * @param {string} root
 * @param {import("./parts.mjs").PartName} name
 */
export async function bundlePart(root, name) {
  const part = partOf(name);
  const manifest = await readFile(join(root, part.folder, "package.json"), "utf8");
  const { version } = JSON.parse(manifest);
  await Promise.all(part.bundles.map((bundle) => writeBundle(root, bundle, version)));
  for (const { from, match } of part.assets ?? []) {
    const names = await readdir(join(root, from)).catch(() => /** @type {string[]} */ ([]));
    for (const file of names.filter((file) => match.test(file))) {
      await copyFile(join(root, from, file), join(root, part.folder, "dist", file));
    }
  }
}
