/** The same value, each text in it changed. What is no JSON stays as it is. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") {
    return change(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => mapTexts(item, change));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]),
  );
}
