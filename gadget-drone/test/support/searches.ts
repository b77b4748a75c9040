import { expect } from "vitest";

/** Files with and without what is looked for; each way to search must find the same in them. */
export const searched: Record<string, string> = {
  ".gitignore": "*.log\nbuild/\n!keep.log\n",
  "src/a.ts": "const needle = 1;\n",
  "src/deep/b.ts": "// a Needle\n",
  "build/c.ts": "needle\n",
  "d.log": "needle\n",
  "keep.log": "needle\n",
  "node_modules/x.js": "needle\n",
};

export const searches: [string, object][] = [
  ["glob", { pattern: "*.ts" }],
  ["glob", { pattern: "src/*.{ts,js}" }],
  ["grep", { pattern: "needle" }],
  ["grep", { pattern: "needle", ignoreCase: true, glob: "*.ts", path: "src" }],
  ["grep", { pattern: "needle", path: "keep.log" }],
  ["grep", { pattern: "needle", glob: "*" }],
  ["grep", { pattern: "[", path: "." }],
];

/** What they give, whichever program does the work. */
export const found = [
  "src/a.ts\nsrc/deep/b.ts",
  "src/a.ts",
  "keep.log:1:needle\nsrc/a.ts:1:const needle = 1;",
  "src/a.ts:1:const needle = 1;\nsrc/deep/b.ts:1:// a Needle",
  "keep.log:1:needle",
  "keep.log:1:needle\nsrc/a.ts:1:const needle = 1;",
  expect.stringMatching(/no valid regular expression|regex/),
];
