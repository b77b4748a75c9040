import { Int32 } from "bson";
import { CommandError } from "../../query/error.ts";
import { type Doc, isNullish, type Value } from "../../query/value.ts";
import { compileRegex } from "./javascript-regex.ts";
import { named, type OperatorCompiler, typeOf } from "./operator.ts";
import { regexArgument } from "./text.ts";

function search(
  name: string,
  none: Value,
  compute: (input: string, pattern: RegExp) => Value,
): OperatorCompiler {
  return named(["input", "regex"], ["options"], (argument) => {
    const regex = regexArgument(argument("regex"), argument("options"), name);
    const input = argument("input");
    if (isNullish(input) || regex === null) {
      return none;
    }
    if (typeof input !== "string") {
      throw new CommandError(
        51104,
        `${name} needs 'input' to be of type string, not ${typeOf(input)}`,
      );
    }
    return compute(input, compileRegex(regex));
  });
}

function matchDoc(match: RegExpExecArray): Doc {
  const index = Array.from(match.input.slice(0, match.index)).length;
  return new Map<string, Value>([
    ["match", match[0]],
    ["idx", new Int32(index)],
    ["captures", match.slice(1).map((capture) => capture ?? null)],
  ]);
}

export const pattern: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$regexMatch", search("$regexMatch", false, (input, regex) => regex.test(input))],
  [
    "$regexFind",
    search("$regexFind", null, (input, regex) => {
      const match = regex.exec(input);
      return match ? matchDoc(match) : null;
    }),
  ],
  [
    "$regexFindAll",
    search("$regexFindAll", [], (input, regex) => {
      const all = new RegExp(regex.source, `${regex.flags}g`);
      return [...input.matchAll(all)].map(matchDoc);
    }),
  ],
]);
