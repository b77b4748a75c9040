/**
 * The shortest way round for every file that can reach itself, each cycle once.
 * @param {Map<string, string[]>} graph
 * @returns {string[][]}
 */
export function cyclesIn(graph) {
  /** @type {Map<string, string[]>} */
  const cycles = new Map();
  for (const start of graph.keys()) {
    const cycle = wayBack(graph, start);
    if (cycle !== undefined) {
      cycles.set(cycle.toSorted().join("\n"), cycle);
    }
  }
  return [...cycles.values()];
}

/**
 * @param {Map<string, string[]>} graph
 * @param {string} start
 * @returns {string[] | undefined}
 */
function wayBack(graph, start) {
  /** @type {Map<string, string>} */
  const cameFrom = new Map();
  const waiting = [start];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) {
        const way = [file];
        while (way[0] !== start) {
          way.unshift(cameFrom.get(way[0] ?? "") ?? start);
        }
        return way;
      }
      if (cameFrom.has(next)) {
        continue;
      }
      cameFrom.set(next, file);
      waiting.push(next);
    }
  }
  return undefined;
}
