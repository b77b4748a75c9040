/** Another document has the same value where a unique index allows one. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === 11_000;
}
