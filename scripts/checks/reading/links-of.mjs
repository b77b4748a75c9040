/** @param {string} markdown */
const withoutFences = (markdown) => markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, "");

/**
 * The targets of links and images, inline and by reference.
 * @param {string} markdown
 */
export function linksOf(markdown) {
  const prose = withoutFences(markdown).replace(/`[^`\n]*`/g, "");
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const references = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
  const html = [...prose.matchAll(/\b(?:src|href)="([^"]+)"/g)];
  return [...inline, ...references, ...html].map((match) => match[1] ?? "");
}

/** @param {string} markdown */
export function codeSpansOf(markdown) {
  return [...withoutFences(markdown).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
}

/**
 * The anchors that GitHub gives a document's headings.
 * @param {string} markdown
 */
export function anchorsOf(markdown) {
  /** @type {Set<string>} */
  const anchors = new Set();
  for (const [, heading = ""] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const base = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count += 1) {
      anchor = `${base}-${count}`;
    }
    anchors.add(anchor);
  }
  for (const [, id = ""] of markdown.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) {
    anchors.add(id);
  }
  return anchors;
}
