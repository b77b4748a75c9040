type Defined<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

/** A key that was left out stays as it is. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was undefined is gone
  return Object.fromEntries(entries) as Defined<Fields>;
}
