import { missesTarget } from "./row.mjs";

/** @param {number} value */
export function shortNumber(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/**
 * @param {import("./row.mjs").Row[]} rows
 * @returns {string} a table for a terminal
 */
export function rowsTable(rows) {
  const cells = rows.map((row) => {
    const { p95, p99, max } = row.spread ?? {};
    const ratio = row.ratio ?? (row.baseline ? row.value / row.baseline : undefined);
    return [
      row.name,
      `${shortNumber(row.value)} ${row.unit}`,
      ...[p95, p99, max].map((number) => (number === undefined ? "" : shortNumber(number))),
      row.baseline === undefined ? "" : `${shortNumber(row.baseline)} ${row.unit}`,
      ratio === undefined ? "" : `${ratio.toFixed(2)}x`,
      row.target === undefined ? "" : shortNumber(row.target),
      missesTarget(row) ? "misses its target" : "",
    ];
  });
  return textTable([
    ["", "value", "p95", "p99", "max", "baseline", "ratio", "target", ""],
    ...cells,
  ]);
}

/** @param {string[][]} lines */
export function textTable(lines) {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
