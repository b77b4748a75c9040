import { expect, type Page, test, type WebSocketRoute } from "@playwright/test";
import {
  button,
  cancel,
  expectStatus,
  items,
  lastTurn,
  message,
  openSession,
  send,
  signIn,
  startOwnedStack,
  storedTurn,
} from "./owner.ts";
import { freePort, type Stack } from "./stack.ts";
import { violations } from "./violations.ts";

// Processes are killed here: the stack is this file's own, and keeps its address.
let stack: Stack;
test.beforeAll(async () => {
  stack = await startOwnedStack({ GADGET_PORT: String(await freePort()) });
});
test.afterAll(() => stack.stop());

test.beforeEach(async ({ page }) => {
  await signIn(page.request, stack);
});

const droneIs = (page: Page) => async (): Promise<string | undefined> => {
  const drones = await items<{ status: string }>(page.request, stack, "/drones");
  return drones[0]?.status;
};

test("A36 the server is killed and restarted in mid-stream: the page catches up without a reload", async ({
  page,
}) => {
  const sessionId = await openSession(page, stack);
  await page.evaluate("window.sameDocument = true");
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("Marigold", { timeout: 20_000 });
  process.kill(stack.pidOf("server"), "SIGKILL");
  const before = (await lastTurn(page).innerText()).length;
  await expect
    .poll(async () => (await lastTurn(page).innerText()).length, { timeout: 60_000 })
    .toBeGreaterThan(before + 400);
  await expectStatus(page, "processing");
  await cancel(page);
  await expectStatus(page, "aborted");
  expect(await page.evaluate("window.sameDocument")).toBe(true);

  const shown = await lastTurn(page).innerText();
  expect((await storedTurn(page.request, stack, sessionId)).status).toBe("aborted");
  await page.reload();
  await expectStatus(page, "aborted");
  await expect.poll(() => lastTurn(page).innerText()).toBe(shown);
});

test("the drone is killed: the turn is interrupted, and Continue and a new message work", async ({
  page,
}) => {
  const sessionId = await openSession(page, stack);
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("Marigold", { timeout: 20_000 });
  process.kill(stack.pidOf("drone"), "SIGKILL");
  await expect(lastTurn(page)).toHaveAttribute("data-status", "interrupted", { timeout: 60_000 });
  await expect(lastTurn(page)).toContainText("The turn was interrupted.");
  await expect(lastTurn(page)).not.toContainText("aborted");
  const interrupted = await storedTurn(page.request, stack, sessionId);
  expect(interrupted.status).toBe("interrupted");

  await button(lastTurn(page), "Continue").click();
  await expect(page.getByRole("article")).toHaveCount(2);
  // It goes on in the middle of the sentence, wherever that was.
  await expect
    .poll(async () => (await lastTurn(page).innerText()).length, { timeout: 30_000 })
    .toBeGreaterThan(200);
  await expect(lastTurn(page)).not.toContainText("I am a script");
  expect(await storedTurn(page.request, stack, sessionId)).toMatchObject({
    continues: interrupted.id,
  });
  await cancel(page);
  await expectStatus(page, "aborted");
  await button(lastTurn(page), "Continue").waitFor();
  await message(page).fill("hello again, fast");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("article")).toHaveCount(3);
  await expectStatus(page, "finished");
});

test("A41 Force stop appears after five seconds of a drone that does not answer", async ({
  page,
}) => {
  const sessionId = await openSession(page, stack);
  await expect.poll(droneIs(page), { timeout: 30_000 }).toBe("online");
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("Marigold", { timeout: 20_000 });
  const drone = stack.pidOf("drone");
  process.kill(drone, "SIGSTOP");
  try {
    await cancel(page);
    await expect(button(page, "Aborting...")).toBeDisabled();
    expect((await storedTurn(page.request, stack, sessionId)).status).toBe("aborting");
    await button(page, "Force stop").click();
    await expectStatus(page, "aborted");
    expect((await storedTurn(page.request, stack, sessionId)).status).toBe("aborted");
    await expect(button(page, "Send")).toBeVisible();
  } finally {
    process.kill(drone, "SIGCONT");
  }
  await send(page, "hello again, fast");
  await expect(page.getByRole("article")).toHaveCount(2);
  await expectStatus(page, "finished");
});

test("while the server is gone nothing pretends to work, and when it is back all goes on", async ({
  page,
}) => {
  const open = new Set<WebSocketRoute>();
  let isGone = false;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (isGone) {
      return void socket.close();
    }
    socket.connectToServer();
    open.add(socket);
  });
  const moving = () =>
    page.evaluate<number>(
      "document.getAnimations().filter(({ effect }) => effect.getTiming().iterations === Infinity).length",
    );
  await openSession(page, stack);
  await send(page, "Run a long-running command");
  await expect(lastTurn(page).getByRole("button", { name: "Stop" })).toBeVisible({
    timeout: 30_000,
  });
  // The card, the working line, and the session in the sidebar.
  await expect.poll(moving).toBeGreaterThanOrEqual(3);
  isGone = true;
  for (const socket of open) {
    await socket.close();
  }
  await expect(page.getByRole("alert")).toHaveText("The connection to the server is lost.");
  await expect.poll(moving).toBe(0);
  isGone = false;
  await expect(page.getByRole("alert")).toBeHidden({ timeout: 30_000 });
  await expect.poll(moving).toBeGreaterThanOrEqual(3);
  await cancel(page);
  await expectStatus(page, "aborted");
});

test("a server that is gone moves nothing on the page, and Now brings it back", async ({
  page,
}) => {
  const open = new Set<WebSocketRoute>();
  let isGone = false;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (isGone) {
      return void socket.close();
    }
    socket.connectToServer();
    open.add(socket);
  });
  await openSession(page, stack);
  const strip = page.getByRole("list", { name: "Drones" });
  await expect(strip).toContainText("online");
  const place = await message(page).boundingBox();
  isGone = true;
  for (const socket of open) {
    await socket.close();
  }
  await expect(page.getByRole("alert")).toHaveText("The connection to the server is lost.");
  await expect(strip).toContainText("unknown");
  await expect(page.getByText(/Trying again in \d s/)).toBeVisible();
  expect(await message(page).boundingBox()).toEqual(place);
  expect(await violations(page)).toEqual([]);
  isGone = false;
  await button(page, "Now").click();
  await expect(page.getByRole("alert")).toBeHidden();
  await expect(strip).toContainText("online");
});
