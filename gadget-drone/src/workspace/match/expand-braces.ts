/** How long all that a pattern stands for may be together: matching costs that times a path. */
const longest = 4_000;

/**
 * What a pattern with braces stands for: `{a,{b,c}}.ts` for `a.ts`, `b.ts` and `c.ts`. Braces without
 * a comma or without an end are taken as they stand. Throws what the writer of it should know.
 */
export function expandBraces(glob: string): string[] {
  let left = longest;
  const expand = (text: string): string[] => {
    const group = firstGroup(text);
    if (group === undefined) {
      return [text];
    }
    const heads = group.choices.flatMap(expand);
    const tails = expand(text.slice(group.end));
    const head = text.slice(0, group.start);
    const ways: string[] = [];
    for (const choice of heads) {
      for (const tail of tails) {
        const way = head + choice + tail;
        left -= way.length + 1;
        if (left < 0) {
          throw new Error("The pattern stands for too many others. Use fewer braces.");
        }
        ways.push(way);
      }
    }
    return ways;
  };
  return expand(glob);
}

interface Group {
  start: number;
  /** Behind the closing brace. */
  end: number;
  choices: string[];
}

/** The first of the groups that are in no other one. */
function firstGroup(text: string): Group | undefined {
  /** The braces that are open, with where their choices are parted. */
  const open: { start: number; commas: number[] }[] = [];
  let found: Group[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") {
      at++;
    } else if (char === "[") {
      at = Math.max(at, text.indexOf("]", at + 2));
    } else if (char === "{") {
      open.push({ start: at, commas: [] });
    } else if (char === ",") {
      open.at(-1)?.commas.push(at);
    } else if (char === "}") {
      const closed = open.pop();
      if (closed !== undefined && closed.commas.length > 0) {
        found = found.filter(({ start }) => start < closed.start);
        found.push(groupOf(text, closed, at));
      }
      if (open.length === 0 && found.length > 0) {
        break;
      }
    }
  }
  return found[0];
}

function groupOf(
  text: string,
  { start, commas }: { start: number; commas: number[] },
  end: number,
): Group {
  const ends = [...commas, end];
  const choices = ends.map((stop, index) => text.slice((ends[index - 1] ?? start) + 1, stop));
  return { start, end: end + 1, choices };
}
