// @vitest-environment node

import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { expect, it, vi } from "vitest";

const limit = 300_000;

/** What a browser fetches for a page: its chunk and all that those import, one after the other. */
function closure(chunks: Map<string, Rolldown.OutputChunk>, first: string[]): Set<string> {
  const seen = new Set<string>();
  const next = [...first];
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    next.push(...(chunks.get(name)?.imports ?? []));
  }
  return seen;
}

it("the session route is at most 300 kB, compressed", async () => {
  // Under test, React would be built with all that it has for development.
  vi.stubEnv("NODE_ENV", "production");
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const result = await build({ root, logLevel: "silent", build: { write: false } });
  if (!("output" in result)) throw new Error("The build gave no single output.");
  const chunks = new Map(
    result.output.flatMap((file) =>
      file.type === "chunk" ? [[file.fileName, file] as const] : [],
    ),
  );
  const find = (part: string) => {
    const found = [...chunks.values()].find((chunk) => chunk.facadeModuleId?.endsWith(part));
    if (found === undefined) throw new Error(`There is no chunk for ${part}.`);
    return found.fileName;
  };
  const files = closure(chunks, [find("index.html"), find("ChatSessionView.tsx")]);
  const styles = result.output.filter(({ fileName }) => fileName.endsWith(".css"));
  const sources = [
    ...[...files].map((name) => chunks.get(name)?.code ?? ""),
    ...styles.map((file) => (file.type === "asset" ? String(file.source) : "")),
  ];
  const bytes = sources.reduce((sum, source) => sum + gzipSync(source).length, 0);
  expect(files.size).toBeGreaterThan(3);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(limit);
}, 60_000);
