/** What is looked for, checked and ready. */
export interface Search {
  pattern: string;
  /** A file or folder, relative to the workspace; "" is all of it. */
  path: string;
  ignoreCase: boolean | undefined;
  /** Whether a file of this path was meant. */
  wants: (path: string) => boolean;
}

export interface SearchResult {
  /** `path:line:text` each. */
  lines: string[];
  /** What was left out, and why. */
  notes: string[];
}

export const searchLimits = {
  mostMatches: 500,
  longestLine: 400,
  largestBytes: 5 * 1024 * 1024,
  timeoutMs: 20_000,
  mostNotes: 20,
};

export const moreMatch = "[more lines match]";
export const tooLong = "The search took too long. Use a simpler expression, or a smaller folder.";
