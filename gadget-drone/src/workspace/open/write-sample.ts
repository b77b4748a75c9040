import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const files = {
  "README.md": `# Sample project

A small project to try things on. Nothing here is needed by anything else: change it, break it,
undo it.

- \`src/greet.js\` greets people. Run it: \`node src/greet.js Ada\`
- \`src/greet.test.js\` checks that. Run it: \`node --test\`
- \`notes/ideas.md\` lists what could be done next.
`,
  "package.json": `{
  "name": "sample-project",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  "src/greet.js": `export function greet(name) {
  // TODO: greet several people at once
  return \`Hello, \${name}!\`;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  process.stdout.write(\`\${greet(process.argv[2] ?? "world")}\\n\`);
}
`,
  "src/greet.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "./greet.js";

test("greets by name", () => {
  assert.equal(greet("Ada"), "Hello, Ada!");
});
`,
  "notes/ideas.md": `# Ideas

- Greet in other languages
- Greet several people at once
- FIXME: an empty name gives "Hello, !"
`,
};

/** What the demo works on. */
export async function writeSample(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
