import { fileURLToPath } from "node:url";
import type { ProjectId, SessionId } from "@gadget/api";
import { expect, type Page, test } from "@playwright/test";
import { startServer, type TestServer } from "../test/server.ts";
import { longStep, storeLongSession, storeSession } from "../test/stored-session.ts";
import { lastTurn } from "./owner.ts";
import { countBytes } from "./page-bytes.ts";

const built = fileURLToPath(new URL("../frontend/dist", import.meta.url));
let server: TestServer;
let projectId: ProjectId;

test.beforeAll(async () => {
  server = await startServer({ page: built });
  const { items } = await server.owner.ask("listProjects");
  const [project] = items;
  if (project === undefined) {
    throw new Error("there is no project");
  }
  projectId = project.id;
});
test.afterAll(() => server.stop());

test.beforeEach(async ({ context }) => {
  const [name = "", value = ""] = server.owner.cookie.split("=");
  await context.addCookies([{ name, value, url: server.url }]);
});

const open = (page: Page, sessionId: SessionId) => page.goto(`${server.url}/sessions/${sessionId}`);

test("2,000 turns open at the end with at most 300 kB, and the older ones follow", async ({
  page,
}) => {
  const { sessionId, turnIds } = await storeLongSession(server);
  const bytes = await countBytes(page);
  await open(page, sessionId);
  const last = page.locator(`[data-turn-id="${turnIds.at(-1)}"]`);
  await expect(last).toBeInViewport();
  await expect(page.getByRole("button", { name: "Load older turns" })).toBeAttached();
  await page.waitForLoadState("networkidle");
  expect(bytes.data).toBeGreaterThan(10_000);
  expect(bytes.data).toBeLessThan(300_000);

  // The last two are drawn at once, the others of the first look when there is time.
  await expect.poll(() => page.getByRole("article").count()).toBeGreaterThan(2);
  const shown = await page.getByRole("article").count();
  const older = page.getByRole("button", { name: "Load older turns" });
  await older.click();
  await expect.poll(() => page.getByRole("article").count()).toBeGreaterThan(shown);
  await expect(older).toBeEnabled();

  // Scrolling up to them is enough, and what is being read stays where it is.
  const before = await page.getByRole("article").count();
  const first = await page.getByRole("article").first().getAttribute("data-turn-id");
  const reading = page.locator(`[data-turn-id="${first}"]`);
  await page.mouse.move(640, 300);
  await page.mouse.wheel(0, -1_000_000);
  await expect.poll(() => page.getByRole("article").count()).toBeGreaterThan(before);
  await expect(reading).toBeInViewport();
  const ids = await page
    .getByRole("article")
    .evaluateAll((turns) => turns.map((turn) => turn.getAttribute("data-turn-id")));
  expect(ids).toEqual(turnIds.slice(-ids.length));
});

test("one turn of a thousand steps opens with its latest, and the rest on demand", async ({
  page,
}) => {
  const { sessionId } = await storeSession(server, projectId, 1, () =>
    Array.from({ length: 500 }, (_, step) => longStep(step)).flat(),
  );
  const bytes = await countBytes(page);
  await open(page, sessionId);
  const turn = lastTurn(page);
  await expect(turn).toContainText("Step 499:");
  await page.waitForLoadState("networkidle");
  expect(bytes.data).toBeLessThan(300_000);

  const shortened = turn.getByRole("button", { name: "Open full log" });
  await expect(shortened.last()).toBeVisible();
  await expect(turn).not.toContainText("Step 0:");
  await turn.getByRole("button", { name: /^Show \d+ earlier steps$/ }).click();
  await expect(turn).toContainText("Step 0:");
  await expect(shortened).toHaveCount(0);
});
