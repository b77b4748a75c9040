import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "@playwright/test";
import { countBytes } from "../e2e/page-bytes.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { storeLongSession } from "../test/stored-session.ts";

interface Row {
  name: string;
  value: number;
  unit: string;
  target?: number;
}

const built = fileURLToPath(new URL("../frontend/dist", import.meta.url));

/** A session of 2,000 turns on the real server, opened by a phone: what comes, and how soon. */
export async function bench(): Promise<Row[]> {
  const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
  const args = ["--no-sandbox", "--disable-gpu"];
  const server = await startServer({ page: built });
  const browser = await chromium.launch({ executablePath, args });
  try {
    const { sessionId, turnIds } = await storeLongSession(server);
    const runs = [];
    for (let run = 0; run < 3; run += 1) {
      runs.push(await onAPhone(browser, server, sessionId, turnIds.at(-1) ?? ""));
    }
    const [, middle] = runs.toSorted((a, b) => a.ms - b.ms);
    if (middle === undefined) {
      throw new Error("It was not opened.");
    }
    const { ms, data, files } = middle;
    return [
      { name: "2,000 turns: opened on a phone, CPU / 4", value: ms, unit: "ms", target: 2_000 },
      { name: "2,000 turns: REST and socket", value: data / 1e3, unit: "kB", target: 300 },
      { name: "the page's own files, as sent", value: files / 1e3, unit: "kB" },
      { name: "all built files, gzip", value: await builtSize(), unit: "kB" },
    ];
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function onAPhone(browser: Browser, server: TestServer, sessionId: string, last: string) {
  const viewport = { width: 390, height: 780 };
  const context = await browser.newContext({ viewport, isMobile: true, hasTouch: true });
  const [name = "", value = ""] = server.owner.cookie.split("=");
  await context.addCookies([{ name, value, url: server.url }]);
  const page = await context.newPage();
  const bytes = await countBytes(page);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const startedAt = performance.now();
  await page.goto(`${server.url}/sessions/${sessionId}`);
  await page.locator(`[data-turn-id="${last}"]`).waitFor();
  const ms = Math.round(performance.now() - startedAt);
  await page.waitForLoadState("networkidle");
  await context.close();
  return { ms, ...bytes };
}

async function builtSize(): Promise<number> {
  let bytes = 0;
  for (const file of await readdir(join(built, "assets"))) {
    bytes += gzipSync(await readFile(join(built, "assets", file))).length;
  }
  return bytes / 1e3;
}
