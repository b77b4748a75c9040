import { cp, mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Problem } from "../shared/problem.mjs";
import { runCommand } from "../shared/run-command.mjs";
import { sourceFiles } from "../shared/source-files.mjs";
import { readDockerfile } from "./dockerfile.mjs";

/** @typedef {import("./dockerfile.mjs").Stage} Stage */

/** What the base image and Debian would bring: taken from this machine instead. */
const fromTheMachine = /^apt-get /;
/** The user `node` of the base image. */
export const nodeUser = { uid: 1000, gid: 1000 };

/**
 * Does in a folder what a stage of the Dockerfile does in an image: the same COPY and RUN lines,
 * read from the file. Absolute paths of the image lie under the folder.
 * @param {{ root: string, target: string, into: string, built?: string }} options `built`: a folder
 *   that has what the stage `build` makes; without it that stage is made, too
 * @returns {Promise<{ stage: Stage, app: string, skipped: string[] }>} `app`: its working folder
 */
export async function makeImage({ root, target, into, built }) {
  const stages = readDockerfile(await readFile(join(root, "Dockerfile"), "utf8"));
  const stage = stages.get(target);
  if (stage === undefined) {
    throw new Problem(`The Dockerfile has no stage ${target}.`);
  }
  await mkdir(into, { recursive: true });
  let app = into;
  /** @type {string[]} */
  const skipped = [];
  for (const { name, args } of stage.instructions) {
    if (name === "WORKDIR") {
      app = join(into, args);
      await mkdir(app, { recursive: true });
    } else if (name === "COPY") {
      await copy({ root, into, app, built }, args);
    } else if (name === "RUN") {
      const command = args.replace(/^(--mount=\S+\s+)+/, "");
      if (fromTheMachine.test(command)) {
        skipped.push(command);
      } else {
        await run(into, app, command);
      }
    }
  }
  return { stage, app, skipped };
}

/**
 * @param {{ root: string, into: string, app: string, built: string | undefined }} where
 * @param {string} args
 */
async function copy({ root, into, app, built }, args) {
  const [, from, source = "", target = ""] = /^(?:--from=(\S+)\s+)?(\S+)\s+(\S+)$/.exec(args) ?? [];
  if (from === undefined) {
    if (source !== "." || target !== ".") {
      throw new Problem(`COPY ${args} is not known here.`);
    }
    return copyContext(root, app);
  }
  const path = source.replace(/^\/src\//, "");
  const to = target === "./" ? basename(path) : target;
  await cp(join(built ?? join(into, "../build/src"), path), resolve(app, to), { recursive: true });
}

/**
 * The build context: what .dockerignore leaves of the repository.
 * @param {string} root
 * @param {string} app
 */
async function copyContext(root, app) {
  const ignored = (await readFile(join(root, ".dockerignore"), "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const inner = line
        .replace(/^\*\*\//, "")
        .replaceAll(".", "\\.")
        .replaceAll("*", "[^/]*");
      return new RegExp(`^${line.startsWith("**/") ? "(.*/)?" : ""}${inner}(/|$)`);
    });
  for (const path of sourceFiles(root)) {
    if (ignored.some((pattern) => pattern.test(path))) {
      continue;
    }
    await mkdir(dirname(join(app, path)), { recursive: true });
    await cp(join(root, path), join(app, path));
  }
}

/**
 * @param {string} into
 * @param {string} app
 * @param {string} command
 */
async function run(into, app, command) {
  const isFolders = command.startsWith("install -d ");
  // The folders of the image are made under its root here, and given away only by root.
  const line = isFolders
    ? command
        .replace(/ -o node -g node/, process.getuid?.() === 0 ? " -o 1000 -g 1000" : "")
        .replaceAll(" /", ` ${into}/`)
    : command;
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
  const { code, output } = await runCommand("sh", ["-c", line], { cwd: app, env });
  if (code !== 0) {
    throw new Problem(`RUN ${command} ended with ${code}:\n${output}`);
  }
}
