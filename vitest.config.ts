import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

const frontend = "gadget-code/frontend/vite.config.ts";

// Two kinds of tests run under vitest: unit tests beside their source, and integration
// tests in a workspace's test/ folder, which start real processes and get more time.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "packages/*/src/**/*.test.ts",
            "gadget-*/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", "**/*.live.test.ts"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "integration",
          include: ["{packages/*,gadget-*,proof}/test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.live.test.ts", "gadget-code/frontend/**"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      ...(existsSync(new URL(frontend, import.meta.url)) ? [frontend] : []),
    ],
  },
});
