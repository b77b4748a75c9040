import { readFile } from "node:fs/promises";
import { Problem } from "../shared/problem.mjs";
import { higherIsBetter, usualNoise } from "./row.mjs";
import { shortNumber, textTable } from "./table.mjs";

/** @typedef {{ rows: (import("./row.mjs").Row & { file: string })[] }} Report */

/**
 * What got worse from one report to the next by more than it varies anyway.
 * @param {Report} before
 * @param {Report} after
 */
export function worsened(before, after) {
  return after.rows.flatMap((row) => {
    const old = before.rows.find(({ file, name }) => file === row.file && name === row.name);
    if (old === undefined || old.value === 0) {
      return [];
    }
    const change = row.value / old.value - 1;
    const loss = higherIsBetter(row) ? -change : change;
    const noise = Math.max(old.noise ?? usualNoise, row.noise ?? usualNoise);
    return loss > noise ? [{ row, old, loss }] : [];
  });
}

/**
 * @param {string | undefined} beforePath
 * @param {string | undefined} afterPath
 * @returns {Promise<number>} 1 when something got worse
 */
export async function compareFiles(beforePath, afterPath) {
  const losses = worsened(await readReport(beforePath), await readReport(afterPath));
  if (losses.length === 0) {
    process.stdout.write("Nothing got worse by more than the noise.\n");
    return 0;
  }
  const lines = losses.map(({ row, old, loss }) => [
    `${row.file}: ${row.name}`,
    `${shortNumber(old.value)} ${old.unit}`,
    `${shortNumber(row.value)} ${row.unit}`,
    `${Math.round(loss * 100)} % worse`,
  ]);
  process.stdout.write(`${textTable([["", "before", "after", ""], ...lines])}\n`);
  return 1;
}

/**
 * @param {string | undefined} path
 * @returns {Promise<Report>}
 */
async function readReport(path) {
  const text = path === undefined ? undefined : await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) {
    throw new Problem(`There is no report ${path ?? ""}: npm run bench -- --compare A.json B.json`);
  }
  return JSON.parse(text);
}
