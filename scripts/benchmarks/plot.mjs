import { shortNumber } from "./table.mjs";

/** @typedef {import("./row.mjs").Row} Row */

const width = 840;
const left = 400;
const right = 40;
const top = 16;
const line = 30;
const below = 46;

const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .axis { stroke: #8c959f; stroke-width: 1; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .range { stroke: #0969da; stroke-width: 3; opacity: 0.45; }
  .value { fill: #0969da; }
  .baseline { fill: none; stroke: #57606a; stroke-width: 2; }
  .target { stroke: #bc4c00; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .axis { stroke: #6e7681; }
    .grid { stroke: #30363d; }
    .range { stroke: #58a6ff; }
    .value { fill: #58a6ff; }
    .baseline { stroke: #9198a1; }
    .target { stroke: #f0883e; }
  }
`;

/**
 * Rows of one unit as dots on one axis: the value, a line to its p99, its baseline and its target.
 * @param {string} title
 * @param {Row[]} rows
 * @returns {string} an SVG document
 */
export function plot(title, rows) {
  const unit = rows[0]?.unit ?? "";
  const axis = axisOf(rows.flatMap(numbersOf));
  const bottom = top + rows.length * line;
  const x = (/** @type {number} */ value) =>
    Math.round(left + axis.share(value) * (width - left - right));
  const grid = axis.ticks.flatMap((tick) => [
    `<line class="grid" x1="${x(tick)}" y1="${top}" x2="${x(tick)}" y2="${bottom}"/>`,
    `<text x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${shortNumber(tick)}</text>`,
  ]);
  const marks = rows.flatMap((row, index) => marksOf(row, x, top + index * line + line / 2));
  const legend = `${unit}${axis.isLog ? ", logarithmic" : ""} · ● value, line to its p99 · ○ baseline · | target`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + below}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    ...grid,
    `<line class="axis" x1="${left}" y1="${bottom}" x2="${width - right}" y2="${bottom}"/>`,
    ...marks,
    `<text x="${width - right}" y="${bottom + 38}" text-anchor="end">${escaped(legend)}</text>`,
    "</svg>",
    "",
  ].join("\n");
}

/**
 * @param {Row} row
 * @param {(value: number) => number} x
 * @param {number} y
 */
function marksOf({ name, value, baseline, target, spread }, x, y) {
  const marks = [`<text x="${left - 12}" y="${y + 4}" text-anchor="end">${escaped(name)}</text>`];
  if (spread !== undefined && spread.p99 > value) {
    marks.push(`<line class="range" x1="${x(value)}" y1="${y}" x2="${x(spread.p99)}" y2="${y}"/>`);
  }
  if (baseline !== undefined) {
    marks.push(`<circle class="baseline" cx="${x(baseline)}" cy="${y}" r="5"/>`);
  }
  if (target !== undefined) {
    const at = x(target);
    marks.push(`<line class="target" x1="${at}" y1="${y - 9}" x2="${at}" y2="${y + 9}"/>`);
  }
  marks.push(`<circle class="value" cx="${x(value)}" cy="${y}" r="5"/>`);
  return marks;
}

/** @param {Row} row */
function numbersOf({ value, baseline, target, spread }) {
  return [value, baseline, target, spread?.p99].filter((number) => number !== undefined);
}

/**
 * From nothing where the numbers are of one size; else logarithmic, by powers of ten.
 * @param {number[]} numbers
 */
function axisOf(numbers) {
  const largest = Math.max(...numbers);
  const smallest = Math.min(...numbers.filter((number) => number > 0));
  if (largest / smallest > 50) {
    const low = Math.floor(Math.log10(smallest));
    const high = Math.ceil(Math.log10(largest));
    const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
    const share = (/** @type {number} */ value) =>
      Math.max(0, (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low));
    return { isLog: true, ticks, share };
  }
  const step = roundStep(largest / 4);
  const end = Math.ceil(largest / step) * step;
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step);
  return { isLog: false, ticks, share: (/** @type {number} */ value) => value / end };
}

/** @param {number} rough */
function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
