import { existsSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { isTest, sourceFiles } from "../shared/source-files.mjs";

/** Doors and programs are named for what they are to the package, not for what they export. */
const free = /(?:^|\/)(?:index|main)\.[a-z]+$|\.d\.ts$/;

/** Where the folder's word is the export, and the file's own says which one. */
const modules = [
  // `check` of each.
  /^scripts\/checks\/[a-z-]+\.mjs$/,
  // A collection is named as on the wire: `chat-turn` holds `StoredTurn` and `turnModel`.
  /^gadget-code\/src\/models\//,
];

/** Named for what their exports have in common, none of which is the main one. */
export const groups = [
  "gadget-code/frontend/src/lib/api.ts",
  "gadget-code/src/nodes/sweep-lease.ts",
  "gadget-code/src/turns/log/log-events.ts",
  "packages/agent/src/tool-texts.ts",
  "packages/ai/src/api.ts",
  "packages/demo-model/src/tool-result.ts",
  "packages/demo-model/src/wishes.ts",
  "packages/embedded-mongo/src/bson/document.ts",
  "packages/embedded-mongo/src/bson/numeric.ts",
  "packages/embedded-mongo/src/commands/server-info.ts",
  "packages/embedded-mongo/src/update/array-modifiers.ts",
  "packages/embedded-mongo/src/update/field-modifiers.ts",
  "packages/embedded-mongo/src/wire/op-msg.ts",
  "packages/embedded-mongo/src/wire/op-query.ts",
  "scripts/testing/stage-result.mjs",
];

/**
 * A file is named for what it exports: the words of its name stand, in their order, in the name of
 * one of its exports. `stored-user.ts` may export `StoredUser`, `users.ts` may export `userHandlers`.
 * @param {string} root
 */
export async function check(root) {
  const files = sourceFiles(root).filter(
    (path) =>
      /(?:^|\/)src\/.*\.tsx?$|^scripts\/.*\.mjs$/.test(path) &&
      !isTest(path) &&
      !free.test(path) &&
      !modules.some((kind) => kind.test(path)),
  );
  const problems = files.flatMap((path) => {
    const exported = exportsOf(readFileSync(join(root, path), "utf8"));
    const own = wordsOf(basename(path, extname(path)));
    const isNamed = exported.length === 0 || exported.some((name) => holds(wordsOf(name), own));
    if (groups.includes(path)) {
      return isNamed ? [`${path} is named for an export: it needs no exception`] : [];
    }
    return isNamed
      ? []
      : [`${path} exports ${exported.slice(0, 3).join(", ")}: name it for its main export`];
  });
  problems.push(
    ...groups.filter((path) => !existsSync(join(root, path))).map((path) => `${path} is gone`),
  );
  if (files.length === 0) {
    problems.push("It saw no file.");
  }
  return { name: "names", problems, summary: `${files.length} files` };
}

const declaration =
  /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|type|interface) (\w+)/gm;

/** @param {string} source */
function exportsOf(source) {
  const declared = [...source.matchAll(declaration)].map(([, name]) => name ?? "");
  const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    (list ?? "").split(",").map((entry) => entry.trim().split(/\s/).at(-1) ?? ""),
  );
  return [...declared, ...listed].filter((name) => name !== "");
}

/** @param {string} name in whichever case @returns {string[]} its words, in the singular */
function wordsOf(name) {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
    .split(/[-.]/)
    .map((word) => word.replace(/ies$/, "y").replace(/(?<!s)s$/, ""));
}

/**
 * Joined, because `OpenAi` and `openai` are one word to a reader.
 * @param {string[]} words @param {string[]} part
 */
function holds(words, part) {
  return words.join("").includes(part.join(""));
}
