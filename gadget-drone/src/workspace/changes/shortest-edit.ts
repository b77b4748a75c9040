interface Step {
  kind: " " | "+" | "-";
  line: string;
}

const mostDifferences = 500;
const mostSteps = 2_000_000;

/**
 * The fewest lines to take away and to add that make the one text of the other: Myers' greedy
 * search, the furthest reaching path on every diagonal, difference by difference. Undefined where
 * that takes too many differences or steps.
 */
export function shortestEdit(before: string[], after: string[]): Step[] | undefined {
  const numbers = new Map<string, number>();
  const numbered = (lines: string[]) =>
    Int32Array.from(lines, (line) => {
      const number = numbers.get(line) ?? numbers.size;
      numbers.set(line, number);
      return number;
    });
  const [old, now] = [numbered(before), numbered(after)];
  const most = Math.min(before.length + after.length, mostDifferences);
  /** How far each diagonal reaches; the one in the middle has the index `most + 1`. */
  const reach = new Int32Array(2 * most + 3).fill(-1);
  const middle = most + 1;
  reach[middle + 1] = 0;
  const trace: Int32Array[] = [];
  let steps = 0;
  for (let depth = 0; depth <= most; depth++) {
    trace.push(reach.slice(middle - depth - 1, middle + depth + 2));
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      const below = reach[middle + diagonal - 1] ?? -1;
      const above = reach[middle + diagonal + 1] ?? -1;
      let x = goesDown(diagonal, depth, below, above) ? above : below + 1;
      const from = x;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) {
        x++;
      }
      steps += x - from + 1;
      reach[middle + diagonal] = x;
      if (x >= old.length && x - diagonal >= now.length) {
        return walkBack(trace, before, after);
      }
    }
    if (steps > mostSteps) {
      return undefined;
    }
  }
  return undefined;
}

function goesDown(diagonal: number, depth: number, below: number, above: number): boolean {
  return diagonal === -depth || (diagonal !== depth && below < above);
}

function walkBack(trace: Int32Array[], before: string[], after: string[]): Step[] {
  const steps: Step[] = [];
  let x = before.length;
  let y = after.length;
  for (let depth = trace.length - 1; depth >= 0; depth--) {
    const reach = trace[depth] ?? new Int32Array();
    const diagonal = x - y;
    const below = reach[depth + 1 + diagonal - 1] ?? -1;
    const above = reach[depth + 1 + diagonal + 1] ?? -1;
    const down = goesDown(diagonal, depth, below, above);
    const fromX = depth === 0 ? 0 : down ? above : below;
    const fromY = depth === 0 ? 0 : fromX - (down ? diagonal + 1 : diagonal - 1);
    const startX = depth === 0 ? 0 : down ? fromX : fromX + 1;
    while (x > startX && x > 0 && y > 0) {
      x--;
      y--;
      steps.push({ kind: " ", line: before[x] ?? "" });
    }
    if (depth === 0) {
      break;
    }
    steps.push(
      down ? { kind: "+", line: after[fromY] ?? "" } : { kind: "-", line: before[fromX] ?? "" },
    );
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}
