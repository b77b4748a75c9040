import { describe } from "../describe.ts";
import { CommandError } from "../error.ts";
import { compileFilter, type Filter } from "../match.ts";
import { type Doc, isDoc, type Value } from "../value.ts";

/** The conditions behind `$[identifier]`, one an identifier. */
export class ArrayFilters {
  private readonly filters = new Map<string, Filter>();

  constructor(specs: readonly Doc[], collation?: Doc) {
    for (const spec of specs) {
      const identifier = identifierOf(spec);
      if (this.filters.has(identifier)) {
        throw new CommandError(
          "FailedToParse",
          `Found multiple array filters with the same top-level field name ${identifier}`,
        );
      }
      this.filters.set(identifier, compileFilter(spec, { collation }));
    }
  }

  matches(identifier: string, item: Value): boolean {
    return this.filters.get(identifier)?.matches(new Map([[identifier, item]])) === true;
  }

  /** Each identifier in a path has its filter, and each filter is used by a path. */
  check(used: ReadonlyMap<string, string>, update: Doc): void {
    for (const [identifier, path] of used) {
      if (identifier !== "" && !this.filters.has(identifier)) {
        throw new CommandError(
          "BadValue",
          `No array filter found for identifier '${identifier}' in path '${path}'`,
        );
      }
    }
    for (const identifier of this.filters.keys()) {
      if (!used.has(identifier)) {
        throw new CommandError(
          "FailedToParse",
          `The array filter for identifier '${identifier}' was not used in the update ${describe(update)}`,
        );
      }
    }
  }
}

function identifierOf(spec: Doc): string {
  const names = new Set(topLevelNames(spec));
  const [identifier, other] = names;
  if (identifier === undefined) {
    throw new CommandError(
      "FailedToParse",
      "Cannot use an expression without a top-level field name in arrayFilters",
    );
  }
  if (other !== undefined) {
    throw new CommandError(
      "FailedToParse",
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${identifier}' and '${other}'`,
    );
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier)) {
    throw new CommandError(
      "BadValue",
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
    );
  }
  return identifier;
}

function topLevelNames(spec: Doc): string[] {
  return [...spec].flatMap(([name, value]) => {
    if (!name.startsWith("$")) {
      return [name.split(".")[0] ?? ""];
    }
    return Array.isArray(value) ? value.filter(isDoc).flatMap(topLevelNames) : [];
  });
}
