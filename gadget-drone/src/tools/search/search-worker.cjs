/**
 * Runs in a thread of its own, which can be ended in the middle of a regular expression that never
 * comes to an end. Nothing that it opens can hold it: a thread can't be ended in the middle of a read.
 */
const { closeSync, constants, fstatSync, openSync, readSync, realpathSync } = require("node:fs");
const paths = require("node:path");
const { parentPort, workerData } = require("node:worker_threads");

const { workspace, source, flags, mostMatches, largestBytes, longestLine } = workerData;
const pattern = new RegExp(source, flags);
const mode = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
let found = 0;

/** Undefined for what is no text that is looked into. */
function textOf(path) {
  const file = openSync(path, mode);
  try {
    const stat = fstatSync(file);
    // A folder on the way may have become a link.
    const isMoved = process.platform === "linux" && realpathSync(`/proc/self/fd/${file}`) !== path;
    if (!stat.isFile() || stat.size > largestBytes || isMoved) {
      return undefined;
    }
    // As much as it had: one that grows meanwhile has no end.
    const bytes = Buffer.alloc(stat.size);
    const read = readSync(file, bytes, 0, stat.size, 0);
    const isBinary = bytes.subarray(0, 8000).includes(0);
    return isBinary ? undefined : bytes.toString("utf8", 0, read);
  } finally {
    closeSync(file);
  }
}

/** The lines of a file that match, as long as more are wanted. */
function search(file) {
  const text = found < mostMatches ? textOf(paths.join(workspace, file)) : undefined;
  const lines = [];
  for (const [index, line] of text?.split("\n").entries() ?? []) {
    if (found < mostMatches && pattern.test(line)) {
      found++;
      lines.push(`${file}:${index + 1}:${line.slice(0, longestLine).replace(/\r$/, "")}`);
    }
  }
  return lines;
}

parentPort.on("message", (files) => {
  const lines = files.flatMap((file) => {
    try {
      return search(file);
    } catch {
      // It went away, or is not ours to read.
      return [];
    }
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort.postMessage({ lines, full: found >= mostMatches });
});
