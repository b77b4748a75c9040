/** A file that differs between two states of a repository. */
export interface RawChange {
  path: string;
  /** Git's mode, or null where the file is not there. */
  before: string | null;
  after: string | null;
  /** What it was before. */
  object: string;
}

/** Git's `--raw -z`: `:mode mode object object status NUL path NUL`, over and over. */
export function rawChanges(raw: string): RawChange[] {
  const fields = raw.split("\0");
  const changes: RawChange[] = [];
  const modeOf = (mode: string) => (mode === "000000" ? null : mode);
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [before = "", after = "", object = ""] = (fields[index] ?? "").slice(1).split(" ");
    const path = fields[index + 1] ?? "";
    changes.push({ path, before: modeOf(before), after: modeOf(after), object });
  }
  return changes;
}
