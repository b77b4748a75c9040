import type { StringOrder } from "./compare.ts";
import { describe } from "./describe.ts";
import { CommandError } from "./error.ts";
import { asDouble } from "./numeric.ts";
import { type Doc, isNumeric } from "./value.ts";

const KNOWN = new Set([
  "locale",
  "strength",
  "caseLevel",
  "caseFirst",
  "numericOrdering",
  "version",
  "alternate",
  "maxVariable",
  "normalization",
  "backwards",
]);

/** The order of strings under a collation; undefined for the simple one. Unsupported options are refused. */
export function compileCollation(collation: Doc | undefined): StringOrder | undefined {
  if (collation === undefined || collation.size === 0) {
    return undefined;
  }
  const locale = collation.get("locale");
  if (typeof locale !== "string") {
    throw new CommandError("BadValue", "collation needs a locale");
  }
  for (const [name, value] of collation) {
    if (!KNOWN.has(name)) {
      throw new CommandError("BadValue", `unknown collation option '${name}'`);
    }
    const refused =
      (name === "alternate" && value !== "non-ignorable") ||
      (name === "maxVariable" && value !== "punct") ||
      ((name === "backwards" || name === "normalization") && value === true);
    if (refused) {
      throw new CommandError(
        "NotImplemented",
        `the collation option ${name}: ${describe(value)} is not supported`,
      );
    }
  }
  return locale === "simple" ? undefined : collator(locale, collation);
}

function collator(locale: string, collation: Doc): StringOrder {
  const level = collation.get("strength");
  const strength = isNumeric(level) ? asDouble(level) : 3;
  const caseFirst = collation.get("caseFirst");
  try {
    const { compare } = new Intl.Collator(locale.replaceAll("_", "-"), {
      sensitivity: sensitivityOf(strength, collation.get("caseLevel") === true),
      numeric: collation.get("numericOrdering") === true,
      caseFirst: caseFirst === "upper" || caseFirst === "lower" ? caseFirst : "false",
    });
    return compare;
  } catch {
    throw new CommandError("BadValue", `Field 'locale' is invalid in: ${describe(collation)}`);
  }
}

function sensitivityOf(
  strength: number,
  caseLevel: boolean,
): "base" | "case" | "accent" | "variant" {
  if (strength === 1) {
    return caseLevel ? "case" : "base";
  }
  return strength === 2 && !caseLevel ? "accent" : "variant";
}
