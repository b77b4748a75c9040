import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "@playwright/test";
import { openSession, send, signIn, startOwnedStack } from "./owner.ts";
import type { Stack } from "./stack.ts";

const folder = fileURLToPath(new URL("../../docs/screenshots", import.meta.url));
const viewport = { width: 1280, height: 800 };
const phone = { width: 390, height: 780 };
const flags = ["--no-sandbox", "--disable-gpu"];
const stateOf = ({ dataDir }: Stack) => `${dataDir}/browser-state.json`;

interface Pictures {
  theme: "light" | "dark";
  written: string;
  aborted: string;
}

/** Drives the real product with the demo model and keeps a picture of each main screen. */
async function takeAll(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const stack = await startOwnedStack();
  const executablePath = process.env["CHROMIUM_PATH"];
  const browser = await chromium.launch({
    args: flags,
    ...(executablePath !== undefined && { executablePath }),
  });
  try {
    const page = await browser.newPage({ viewport, colorScheme: "light", reducedMotion: "reduce" });
    await signIn(page.request, stack);
    const written = await writeFiles(page, stack);
    const aborted = await abortCommand(page, stack);
    await page.context().storageState({ path: stateOf(stack) });
    for (const theme of ["light", "dark"] as const) {
      await takePages(browser, stack, { theme, written, aborted });
    }
  } finally {
    await browser.close();
    await stack.stop();
  }
}

/** A session in which files were read and written. */
async function writeFiles(page: Page, stack: Stack): Promise<string> {
  await openSession(page, stack);
  await finish(page, "Explore this project");
  await finish(page, "Write a file");
  return page.url();
}

async function finish(page: Page, prompt: string): Promise<void> {
  const finished = page.locator('[data-status="finished"]');
  const before = await finished.count();
  await page.getByRole("textbox", { name: "Message" }).fill(prompt);
  // By key: Send takes no click in the half second after it has replaced Cancel.
  await page.keyboard.press("Enter");
  await finished.nth(before).waitFor({ timeout: 60_000 });
}

/** The headline: a command that won't stop, and the receipt of its end. */
async function abortCommand(page: Page, stack: Stack): Promise<string> {
  await openSession(page, stack);
  await send(page, "Start something that won't stop");
  await page.getByText("still here (4)").first().waitFor({ timeout: 60_000 });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByText("The turn was aborted by you.").waitFor({ timeout: 30_000 });
  return page.url();
}

async function takePages(
  browser: Browser,
  stack: Stack,
  { theme, written, aborted }: Pictures,
): Promise<void> {
  const state = { storageState: stateOf(stack), colorScheme: theme };
  const page = await browser.newPage({ ...state, viewport, reducedMotion: "reduce" });
  const take = (name: string, of = page) =>
    of.screenshot({ path: `${folder}/${name}-${theme}.png`, animations: "disabled" });
  await page.goto(aborted);
  await page.getByText("The turn was aborted by you.").waitFor();
  await page.getByRole("combobox", { name: "Model" }).waitFor();
  await take("abort");
  await page.goto(written);
  await page.getByRole("button", { name: "Inspector", exact: true }).click();
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByRole("figure").first().waitFor();
  await take("session");
  for (const [name, path] of [
    ["home", "/"],
    ["drones", "/drones"],
    ["providers", "/settings/providers"],
  ] as const) {
    await page.goto(stack.url + path);
    await page.waitForLoadState("networkidle");
    await take(name);
  }
  const small = await browser.newPage({ ...state, viewport: phone, isMobile: true });
  await small.goto(aborted);
  await small.getByText("The turn was aborted by you.").waitFor();
  await small.getByRole("button", { name: /^Choices: / }).waitFor();
  await take("phone", small);
  await small.close();
  await page.close();
}

await takeAll();
