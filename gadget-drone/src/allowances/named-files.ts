import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { readWhole } from "../workspace/files.ts";
import { isInside, safePath } from "../workspace/safe-path.ts";

/** Files in which projects write down what `npm test`, `make` and the like run. */
const manifests =
  "package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml deno.json deno.jsonc Makefile makefile GNUmakefile justfile Justfile Taskfile.yml Cargo.toml build.rs pyproject.toml setup.py tox.ini noxfile.py composer.json Gemfile Rakefile pom.xml build.gradle build.gradle.kts".split(
    " ",
  );
const mostNames = 64;
/** Of larger ones the size and the times say whether they changed. */
const readBytes = 1024 * 1024;

export interface NamedFile {
  /** Relative to the workspace. */
  path: string;
  state: string;
}

/** The files of the workspace that a command line names, and those that say what it runs. */
export async function namedFiles(
  workspace: string,
  folder: string,
  command: string,
): Promise<NamedFile[]> {
  const names = new Set<string>();
  for (let at = folder; isInside(workspace, at); at = dirname(at)) {
    for (const name of manifests) {
      names.add(join(at, name));
    }
    if (at === workspace) {
      break;
    }
  }
  const written = command.split(/[\s;|&<>(){}"'`$=:,\\]+/).filter((word) => word !== "");
  for (const word of written.slice(0, mostNames)) {
    names.add(join(folder, word));
  }
  const found = await Promise.all([...names].map((name) => stateOf(workspace, name)));
  const files = new Map(found.flatMap((file) => (file === undefined ? [] : [[file.path, file]])));
  return [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function stateOf(workspace: string, name: string): Promise<NamedFile | undefined> {
  try {
    const real = await safePath(workspace, name);
    const stat = await lstat(real);
    if (!stat.isFile()) {
      return undefined;
    }
    const path = relative(workspace, real);
    if (stat.size > readBytes) {
      return { path, state: `${stat.size} ${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}` };
    }
    const content = await readWhole(workspace, real, readBytes);
    if (content === undefined) {
      return undefined;
    }
    return { path, state: createHash("sha256").update(content.bytes).digest("hex") };
  } catch {
    // Not there, outside of the workspace, or not to be read: nothing that could be watched.
    return undefined;
  }
}
