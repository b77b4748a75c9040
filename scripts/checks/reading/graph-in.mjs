/**
 * The edges of the mermaid graph that follows `<!-- marker -->`.
 * @param {string} markdown
 * @param {string} marker
 * @returns {Set<string> | undefined} `from --> to`; undefined: there is no such graph
 */
export function graphIn(markdown, marker) {
  const after = markdown.split(`<!-- ${marker} -->`)[1];
  const graph = /```mermaid\n([\s\S]*?)```/.exec(after ?? "")?.[1];
  if (graph === undefined) {
    return undefined;
  }
  /** @type {Set<string>} */
  const edges = new Set();
  for (const line of graph.split("\n")) {
    const steps = line.split(/-->(?:\|[^|]*\|)?/).map((step) => step.split("&").map(nodeName));
    for (const [index, sources] of steps.slice(0, -1).entries()) {
      for (const from of sources) {
        for (const to of steps[index + 1] ?? []) {
          edges.add(`${from} --> ${to}`);
        }
      }
    }
  }
  return edges;
}

/** @param {string} text a node, perhaps with its label: `api["packages/api"]` */
function nodeName(text) {
  return /^\s*([\w-]+)/.exec(text)?.[1] ?? "";
}
