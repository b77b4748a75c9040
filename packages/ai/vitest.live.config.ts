import { defineConfig } from "vitest/config";

// By hand, against real providers: `npx vitest run --config packages/ai/vitest.live.config.ts`.
export default defineConfig({
  test: { dir: import.meta.dirname, include: ["test/**/*.live.test.ts"], testTimeout: 120_000 },
});
