import { aggregateOperators } from "./aggregate-operators.ts";
import { arithmetic } from "./arithmetic.ts";
import { arrays } from "./array.ts";
import { bits } from "./bits.ts";
import { conversion } from "./convert.ts";
import { dates } from "./date.ts";
import { dateMath } from "./date-math.ts";
import { iteration } from "./iteration.ts";
import { logic } from "./logic.ts";
import { objects } from "./object.ts";
import type { OperatorCompiler } from "./operator.ts";
import { pattern } from "./pattern.ts";
import { sets } from "./set.ts";
import { text } from "./text.ts";
import { trigonometry } from "./trigonometry.ts";

/** Every expression operator there is; what is not here is refused. */
export const OPERATORS: ReadonlyMap<string, OperatorCompiler> = new Map([
  ...aggregateOperators,
  ...arithmetic,
  ...arrays,
  ...bits,
  ...conversion,
  ...dateMath,
  ...dates,
  ...iteration,
  ...logic,
  ...objects,
  ...pattern,
  ...sets,
  ...text,
  ...trigonometry,
]);
