/**
 * How deep the arguments of a tool call may be nested. The drone refuses deeper ones before anything
 * recursive sees them, the server refuses events that hold them: a database takes 100 levels of a
 * document at least, of which an event's envelope needs five.
 */
export const deepestInput = 64;

/** Whether objects and arrays hold each other at most `deepest` levels deep. Never recurses. */
export function withinDepth(value: unknown, deepest: number): boolean {
  let level = isNest(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > deepest) {
      return false;
    }
    level = level.flatMap((nest) => Object.values(nest).filter(isNest));
  }
  return true;
}

function isNest(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
