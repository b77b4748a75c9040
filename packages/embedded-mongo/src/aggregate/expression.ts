import type { StringOrder } from "../query/compare.ts";
import { CommandError } from "../query/error.ts";
import type { Doc, Value } from "../query/value.ts";
export interface ExpressionScope {
  readonly now?: Date | undefined;
  readonly variables?: Doc | undefined;
  readonly order?: StringOrder | undefined;
}
export function compileExpression(
  _spec: Value,
  _scope: ExpressionScope,
): (doc: Doc) => Value | undefined {
  throw new CommandError("NotImplemented", "expr");
}
