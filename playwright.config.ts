import { defineConfig } from "@playwright/test";
import { findBrowser } from "./scripts/testing/browser.mjs";

const executablePath = await findBrowser();

export default defineConfig({
  testDir: "gadget-code/e2e",
  testMatch: "*.e2e.ts",
  outputDir: "test-results",
  // A test that needs a second try is a bug in it or in the product.
  retries: 0,
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: "list",
  use: {
    browserName: "chromium",
    trace: "retain-on-failure",
    launchOptions: {
      ...(executablePath !== undefined && { executablePath }),
      args: [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
