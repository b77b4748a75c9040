import type { CharacterSet } from "./character-set.ts";
import type { PatternNode, Place } from "./pattern-node.ts";

/** A step goes on at the next one, or at those that it names. */
export type Step =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "split"; readonly to: number[] }
  | { readonly kind: "found" };

const maxSteps = 10_000;

/** The steps of an automaton for a pattern; undefined if they are too many. */
export function programOf(pattern: PatternNode): readonly Step[] | undefined {
  const steps: Step[] = [];
  emit(pattern, steps);
  if (steps.length > maxSteps) {
    return undefined;
  }
  steps.push({ kind: "found" });
  return steps;
}

function emit(node: PatternNode, steps: Step[]): void {
  if (steps.length > maxSteps) {
    return;
  }
  switch (node.kind) {
    case "set":
    case "place":
      steps.push(node);
      return;
    case "sequence":
      for (const part of node.nodes) {
        emit(part, steps);
      }
      return;
    case "choice": {
      const split = addSplit(steps);
      const ends: number[][] = [];
      for (const option of node.nodes) {
        split.push(steps.length);
        emit(option, steps);
        ends.push(addSplit(steps));
      }
      for (const end of ends) {
        end.push(steps.length);
      }
      return;
    }
    case "repeat":
      emitRepeat(node, steps);
  }
}

function emitRepeat(
  { node, min, max }: Extract<PatternNode, { kind: "repeat" }>,
  steps: Step[],
): void {
  for (let i = 0; i < min && steps.length <= maxSteps; i += 1) {
    const before = steps.length;
    emit(node, steps);
    if (steps.length === before) {
      break;
    }
  }
  if (max === Number.POSITIVE_INFINITY) {
    const start = steps.length;
    const split = addSplit(steps);
    split.push(steps.length);
    emit(node, steps);
    addSplit(steps).push(start);
    split.push(steps.length);
    return;
  }
  const exits: number[][] = [];
  for (let i = min; i < max && steps.length <= maxSteps; i += 1) {
    const split = addSplit(steps);
    split.push(steps.length);
    exits.push(split);
    emit(node, steps);
  }
  for (const exit of exits) {
    exit.push(steps.length);
  }
}

function addSplit(steps: Step[]): number[] {
  const to: number[] = [];
  steps.push({ kind: "split", to });
  return to;
}
