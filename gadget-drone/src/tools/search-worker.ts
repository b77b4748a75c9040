/**
 * Runs in a thread of its own, which can be ended in the middle of a regular expression that never
 * comes to an end. Kept as text, because a bundle is one file and a thread needs its own.
 */
export const searchWorker = `
const { parentPort, workerData } = require("node:worker_threads");
const { readFileSync, statSync } = require("node:fs");
const { join } = require("node:path");
const { workspace, source, flags, mostMatches, largestBytes, longestLine } = workerData;
const pattern = new RegExp(source, flags);
let found = 0;
parentPort.on("message", (files) => {
  const lines = [];
  for (const file of files) {
    let bytes;
    try {
      const path = join(workspace, file);
      if (statSync(path).size > largestBytes) continue;
      bytes = readFileSync(path);
    } catch { continue; }
    if (bytes.subarray(0, 8000).includes(0)) continue;
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
