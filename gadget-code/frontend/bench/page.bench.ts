import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "@playwright/test";
import { build } from "vite";
import { liveEvent, liveTurn, longTurns, sessionId } from "./long-session.ts";
import { type PageServer, servePage } from "./page-server.ts";

interface Row {
  name: string;
  value: number;
  unit: string;
  target?: number;
  samples?: number[];
}

declare global {
  interface Window {
    keys: number[];
  }
}

const root = fileURLToPath(new URL("..", import.meta.url));
const flags = ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"];

/** The page with a long session, in a browser: how soon it is there, and whether it stays smooth. */
export async function bench(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "gadget-page-"));
  const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
  await build({ root, logLevel: "silent", build: { outDir: folder, emptyOutDir: true } });
  const server = await servePage(folder);
  const browser = await chromium.launch({ executablePath, args: flags });
  try {
    return [
      ...(await tenThousandParts(browser, server)),
      ...(await whileStreaming(browser, server)),
      ...(await onAPhone(browser, server)),
    ];
  } finally {
    await browser.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function open(page: Page, server: PageServer, last: string): Promise<number> {
  await page.goto(`${server.url}/login`);
  const startedAt = performance.now();
  await page.goto(`${server.url}/sessions/${sessionId}`);
  await page.locator(`[data-turn-id="${last}"]`).waitFor();
  return Math.round(performance.now() - startedAt);
}

async function tenThousandParts(browser: Browser, server: PageServer): Promise<Row[]> {
  server.joined = { ...server.joined, turns: longTurns(20, 500) };
  const page = await browser.newPage();
  const times = [];
  for (let run = 0; run < 5; run += 1) {
    times.push(await open(page, server, "settled-turn-19"));
  }
  const heap = await page.evaluate(() => {
    const memory: unknown = Reflect.get(performance, "memory");
    const used: unknown =
      typeof memory === "object" && memory && Reflect.get(memory, "usedJSHeapSize");
    return typeof used === "number" ? Math.round(used / 1e6) : 0;
  });
  await page.close();
  const middle = times.sort((a, b) => a - b)[2] ?? 0;
  return [
    { name: "10,000 parts: opened", value: middle, unit: "ms", target: 1_000, samples: times },
    { name: "10,000 parts: heap", value: heap, unit: "MB" },
  ];
}

/** 200 tokens a second arrive while somebody types, then while somebody reads further up. */
async function whileStreaming(browser: Browser, server: PageServer): Promise<Row[]> {
  server.joined = { ...server.joined, turns: [...longTurns(5, 100), liveTurn()] };
  const page = await browser.newPage();
  await open(page, server, "live-turn");
  await page.evaluate(() => {
    const keys: number[] = [];
    window.keys = keys;
    addEventListener("keydown", ({ timeStamp }) => {
      // The frame after the one in which the key was handled: then it is on the screen.
      requestAnimationFrame(() => setTimeout(() => keys.push(performance.now() - timeStamp)));
    });
  });
  let seq = 1;
  server.push([liveEvent(seq, { type: "text:start", partId: "p" })]);
  const stream = setInterval(() => {
    const words = seq % 60 === 0 ? "\n\n" : "word ";
    server.push([liveEvent((seq += 1), { type: "text:delta", partId: "p", text: words })]);
  }, 5);
  try {
    await page
      .getByRole("textbox", { name: "Message" })
      .pressSequentially("x".repeat(100), { delay: 30 });
    const keys = await page.evaluate(() => window.keys);
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -400);
    await page.waitForTimeout(300);
    const top = () =>
      page
        .locator('[data-turn-id="live-turn"]')
        .evaluate((turn) => turn.getBoundingClientRect().top);
    const before = await top();
    await page.waitForTimeout(2_000);
    const moved = Math.abs((await top()) - before);
    const sorted = keys.toSorted((a, b) => a - b);
    return [
      {
        name: "a key while 200 tokens/s arrive, 95 %",
        value: Math.round(sorted[94] ?? 0),
        unit: "ms",
        target: 50,
        samples: keys,
      },
      {
        name: "scrolled up while streaming: moved",
        value: Math.round(moved),
        unit: "px",
        target: 0,
      },
    ];
  } finally {
    clearInterval(stream);
    await page.close();
  }
}

async function onAPhone(browser: Browser, server: PageServer): Promise<Row[]> {
  server.joined = { ...server.joined, turns: longTurns(20, 20) };
  const page = await browser.newPage({ viewport: { width: 390, height: 780 }, isMobile: true });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const ms = await open(page, server, "settled-turn-19");
  await page.close();
  return [
    { name: "the newest 20 turns on a phone, CPU / 4", value: ms, unit: "ms", target: 2_000 },
  ];
}
