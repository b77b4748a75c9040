export interface LineCounts {
  added: number;
  removed: number;
}

type Step = { kind: " " | "+" | "-"; line: string };

const context = 3;
/** Beyond this many differences the middle is shown as replaced as a whole. */
const mostDifferences = 500;

/** Lines with their line ends; the last one may have none. */
function linesOf(text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  return text === "" ? [] : lines;
}

/** The difference of two texts in git's form, with the counts of lines; empty when they are equal. */
export function unifiedDiff(
  path: string,
  before: string | null,
  after: string | null,
): LineCounts & { diff: string } {
  const steps = compare(linesOf(before ?? ""), linesOf(after ?? ""));
  const added = steps.filter(({ kind }) => kind === "+").length;
  const removed = steps.filter(({ kind }) => kind === "-").length;
  if (added + removed === 0 && before !== null && after !== null) {
    return { diff: "", added, removed };
  }
  const from = before === null ? "/dev/null" : `a/${path}`;
  const to = after === null ? "/dev/null" : `b/${path}`;
  return { diff: [`--- ${from}\n+++ ${to}\n`, ...hunks(steps)].join(""), added, removed };
}

function compare(before: string[], after: string[]): Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  const same = (line: string): Step => ({ kind: " ", line });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** Myers' greedy search: the furthest reaching path on every diagonal, difference by difference. */
function middle(before: string[], after: string[]): Step[] {
  const most = Math.min(before.length + after.length, mostDifferences);
  const trace: Map<number, number>[] = [];
  let reach = new Map([[1, 0]]);
  for (let depth = 0; depth <= most; depth++) {
    trace.push(reach);
    const next = new Map(reach);
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      const below = next.get(diagonal - 1) ?? -1;
      const above = next.get(diagonal + 1) ?? -1;
      let x = diagonal === -depth || (diagonal !== depth && below < above) ? above : below + 1;
      while (
        x < before.length &&
        x - diagonal < after.length &&
        before[x] === after[x - diagonal]
      ) {
        x++;
      }
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before, after);
    }
    reach = next;
  }
  return [
    ...before.map((line): Step => ({ kind: "-", line })),
    ...after.map((line): Step => ({ kind: "+", line })),
  ];
}

function walkBack(trace: Map<number, number>[], before: string[], after: string[]): Step[] {
  const steps: Step[] = [];
  let x = before.length;
  let y = after.length;
  for (let depth = trace.length - 1; depth >= 0; depth--) {
    const reach = trace[depth] ?? new Map<number, number>();
    const diagonal = x - y;
    const below = reach.get(diagonal - 1) ?? -1;
    const above = reach.get(diagonal + 1) ?? -1;
    const down = diagonal === -depth || (diagonal !== depth && below < above);
    const fromX = depth === 0 ? 0 : down ? above : below;
    const fromY = depth === 0 ? 0 : fromX - (down ? diagonal + 1 : diagonal - 1);
    const startX = depth === 0 ? 0 : down ? fromX : fromX + 1;
    while (x > startX && x > 0 && y > 0) {
      x--;
      y--;
      steps.push({ kind: " ", line: before[x] ?? "" });
    }
    if (depth === 0) break;
    if (down) steps.push({ kind: "+", line: after[fromY] ?? "" });
    else steps.push({ kind: "-", line: before[fromX] ?? "" });
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}

function hunks(steps: Step[]): string[] {
  const near = new Uint8Array(steps.length);
  steps.forEach(({ kind }, index) => {
    if (kind !== " ") near.fill(1, Math.max(0, index - context), index + context + 1);
  });
  const parts: string[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (let index = 0; index < steps.length; ) {
    let end = index;
    while (end < steps.length && near[end] === near[index]) end++;
    const group = steps.slice(index, end);
    const oldCount = group.filter(({ kind }) => kind !== "+").length;
    const newCount = group.filter(({ kind }) => kind !== "-").length;
    if (near[index] === 1) {
      parts.push(`@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@\n`);
      for (const { kind, line } of group) {
        parts.push(
          line.endsWith("\n") ? kind + line : `${kind}${line}\n\\ No newline at end of file\n`,
        );
      }
    }
    oldLine += oldCount;
    newLine += newCount;
    index = end;
  }
  return parts;
}

function range(start: number, count: number): string {
  if (count === 1) return String(start);
  return `${count === 0 ? start - 1 : start},${count}`;
}
