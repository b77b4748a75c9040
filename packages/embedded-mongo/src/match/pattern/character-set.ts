/** From and to, both inclusive. */
export type Range = readonly [number, number];

const lastCodePoint = 0x10ffff;

/** A set of characters (code points). */
export class CharacterSet {
  readonly #exact: readonly Range[];
  readonly #folded: readonly Range[];
  readonly #negated: boolean;
  /** JavaScript folds the case of single characters as PCRE does. */
  readonly #anyCase: RegExp;
  readonly #ascii = new Uint8Array(128);

  /** `folded` are the characters that are meant in upper and in lower case. */
  constructor(
    exact: readonly Range[],
    { folded = [], negated = false }: { folded?: readonly Range[]; negated?: boolean } = {},
  ) {
    this.#exact = exact;
    this.#folded = folded;
    this.#negated = negated;
    const hex = (code: number): string => `\\u{${code.toString(16)}}`;
    const ranges = folded.map(([from, to]) => `${hex(from)}-${hex(to)}`);
    this.#anyCase = new RegExp(`^[${ranges.join("")}]$`, "iu");
    for (let code = 0; code < this.#ascii.length; code += 1) {
      this.#ascii[code] = this.#decide(code) ? 1 : 0;
    }
  }

  has(code: number): boolean {
    return code < this.#ascii.length ? this.#ascii[code] === 1 : this.#decide(code);
  }

  #decide(code: number): boolean {
    const isIn =
      this.#exact.some(([from, to]) => code >= from && code <= to) ||
      (this.#folded.length > 0 && this.#anyCase.test(String.fromCodePoint(code)));
    return isIn !== this.#negated;
  }
}

/** All other characters. */
export function complement(ranges: readonly Range[]): Range[] {
  const rest: Range[] = [];
  let next = 0;
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (from > next) {
      rest.push([next, from - 1]);
    }
    next = Math.max(next, to + 1);
  }
  if (next <= lastCodePoint) {
    rest.push([next, lastCodePoint]);
  }
  return rest;
}

const between = (from: string, to: string): Range => [from.charCodeAt(0), to.charCodeAt(0)];
const digit = [between("0", "9")];
const lower = [between("a", "z")];
const upper = [between("A", "Z")];
const alpha = [...lower, ...upper];
const word = [...alpha, ...digit, between("_", "_")];
const space: Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
];
const horizontal: Range[] = [
  [0x09, 0x09],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
];
const vertical: Range[] = [
  [0x0a, 0x0d],
  [0x85, 0x85],
  [0x2028, 0x2029],
];

/** What an escape like `\d` stands for; without the Unicode option that is ASCII, as in MongoDB. */
export const escapeClasses: ReadonlyMap<string, readonly Range[]> = new Map([
  ["d", digit],
  ["D", complement(digit)],
  ["w", word],
  ["W", complement(word)],
  ["s", space],
  ["S", complement(space)],
  ["h", horizontal],
  ["H", complement(horizontal)],
  ["v", vertical],
  ["V", complement(vertical)],
]);

/** What `[:name:]` stands for. */
export const posixClasses: ReadonlyMap<string, readonly Range[]> = new Map<
  string,
  readonly Range[]
>([
  ["alnum", [...alpha, ...digit]],
  ["alpha", alpha],
  ["ascii", [[0, 0x7f]]],
  [
    "blank",
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  [
    "cntrl",
    [
      [0, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ["digit", digit],
  ["graph", [[0x21, 0x7e]]],
  ["lower", lower],
  ["print", [[0x20, 0x7e]]],
  ["punct", [between("!", "/"), between(":", "@"), between("[", "`"), between("{", "~")]],
  ["space", space],
  ["upper", upper],
  ["word", word],
  ["xdigit", [...digit, between("a", "f"), between("A", "F")]],
]);
