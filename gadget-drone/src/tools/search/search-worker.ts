/**
 * Runs in a thread of its own, which can be ended in the middle of a regular expression that never
 * comes to an end. Kept as text, because a bundle is one file and a thread needs its own. Nothing
 * that it opens can hold it: a thread can't be ended in the middle of a read.
 */
export const searchWorker = `
const { parentPort, workerData } = require("node:worker_threads");
const { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } = require("node:fs");
const { join } = require("node:path");
const { workspace, source, flags, mostMatches, largestBytes, longestLine } = workerData;
const pattern = new RegExp(source, flags);
const mode = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
let found = 0;
function bytesOf(path) {
  const file = openSync(path, mode);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > largestBytes) return;
    // A folder on the way may have become a link.
    if (process.platform === "linux" && realpathSync("/proc/self/fd/" + file) !== path) return;
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
parentPort.on("message", (files) => {
  const lines = [];
  for (const file of files) {
    let bytes;
    try {
      bytes = bytesOf(join(workspace, file));
    } catch { continue; }
    if (bytes === undefined || bytes.subarray(0, 8000).includes(0)) continue;
    const text = bytes.toString("utf8").split("\\n");
    for (let i = 0; i < text.length && found < mostMatches; i++) {
      if (!pattern.test(text[i])) continue;
      found++;
      lines.push(file + ":" + (i + 1) + ":" + text[i].slice(0, longestLine).replace(/\\r$/, ""));
    }
    if (found >= mostMatches) break;
  }
  parentPort.postMessage({ lines, full: found >= mostMatches });
});
`;
