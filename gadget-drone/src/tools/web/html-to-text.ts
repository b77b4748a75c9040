import { safeCut } from "@gadget/ai";

/** Text enough for any answer; the rest of a page is not looked at. */
const longest = 400_000;
const longestTag = 4_000;

/** Elements whose content is for machines. */
const unread = new Set(["script", "style", "noscript", "svg", "template"]);
const blocks = new Set("br /p /div /li /tr /h1 /h2 /h3 /h4 /h5 /h6 /section /pre".split(" "));

/**
 * Good enough to read: no scripts, no tags, one line a block, links with their addresses. Goes
 * through the page once, from mark to mark, whatever it is made of (rule A54).
 */
export function htmlToText(html: string): string {
  const pieces: string[] = [];
  let length = 0;
  const add = (text: string) => {
    pieces.push(text.slice(0, safeCut(text, longest - length)));
    length += text.length;
  };
  let link: string | undefined;
  let at = 0;
  while (at < html.length) {
    if (length >= longest) {
      break;
    }
    const open = html.indexOf("<", at);
    if (open < 0) {
      add(html.slice(at));
      break;
    }
    add(html.slice(at, open));
    const end = endOfMark(html, open);
    if (end === open) {
      add("<");
      at = open + 1;
      continue;
    }
    const tag = html.slice(open + 1, Math.min(end, open + longestTag));
    const name = /^\/?[a-z][a-z0-9]*/i.exec(tag)?.[0].toLowerCase() ?? "";
    at = unread.has(name) ? endOfElement(html, name, end) : end;
    if (name === "a") {
      link = /\shref\s*=\s*(?:"(https?:[^"]*)"|'(https?:[^']*)')/i
        .exec(tag)
        ?.slice(1)
        .find((url) => url !== undefined);
    } else if (name === "/a" && link !== undefined) {
      add(` (${link})`);
      link = undefined;
    } else {
      add(blocks.has(name) ? "\n" : name === "a" || name === "/a" ? "" : " ");
    }
  }
  return pieces
    .join("")
    .replace(/&(lt|gt|amp|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? " ")
    .replace(/[ \t\r\f]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Behind the mark that begins here: a tag, a comment; the same place where it is only a `<`. */
function endOfMark(html: string, open: number): number {
  if (html.startsWith("<!--", open)) {
    return behind(html, "-->", open + 4);
  }
  return /[a-z/!?]/i.test(html[open + 1] ?? "") ? behind(html, ">", open + 1) : open;
}

function endOfElement(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?=[\\s>/])`, "gi");
  closing.lastIndex = from;
  const found = closing.exec(html);
  return found === null ? html.length : behind(html, ">", found.index);
}

/** What has no end reaches to the end of the page. */
function behind(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

const entities: Record<string, string> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  "#39": "'",
  nbsp: " ",
};
