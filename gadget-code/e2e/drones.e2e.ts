import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@playwright/test";
import {
  button,
  expectStatus,
  get,
  items,
  lastTurn,
  openSession,
  post,
  send,
  signIn,
  startOwnedStack,
} from "./owner.ts";
import { freePort } from "./stack.ts";
import { test } from "./stack-test.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface StoredDrone {
  id: string;
  name: string;
  status: string;
  labels: string[];
}

test("without a public address, Add drone says so beside the command for this machine", async ({
  page,
  stack,
}) => {
  await page.goto(`${stack.url}/drones`);
  await button(page, "Add drone").click();
  await expect(page.getByRole("dialog")).toContainText("GADGET_PUBLIC_URL");
  await expect(page.getByRole("dialog")).toContainText("On this machine");
  await expect(page.getByRole("dialog")).toContainText("npm run drone");
});

test("a drone's page lists what runs there, and its Cancel aborts it", async ({
  page,
  context,
  stack,
}) => {
  await openSession(page, stack);
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("I am a script", { timeout: 20_000 });
  const fleet = await context.newPage();
  await fleet.goto(`${stack.url}/drones`);
  await fleet.getByRole("main").getByRole("link").first().click();
  const row = fleet
    .getByRole("main")
    .getByRole("listitem")
    .filter({ hasText: "Tell me a long story" });
  await button(row, "Cancel").click();
  await expect(row).toBeHidden();
  await expect(lastTurn(page)).toHaveAttribute("data-status", "aborted");
});

test("the command of Add drone brings a drone, which is renamed, drained and revoked", async ({
  browser,
}) => {
  const port = await freePort();
  const stack = await startOwnedStack({
    GADGET_PORT: String(port),
    GADGET_PUBLIC_URL: `http://localhost:${port}`,
  });
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  let worker: ChildProcess | undefined;
  try {
    const page = await context.newPage();
    await signIn(page.request, stack);
    await page.goto(`${stack.url}/drones`);
    await button(page, "Add drone").click();
    const dialog = page.getByRole("dialog");
    const command = await dialog.locator("code").innerText();
    expect(command).toContain("npm run drone -- --server");
    worker = spawn(command, {
      cwd: root,
      shell: true,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, GADGET_DATA_DIR: join(stack.dataDir, "second") },
    });
    await expect(dialog.getByText(/is connected\.$/)).toBeVisible({ timeout: 60_000 });
    await button(dialog, "Close").click();

    const list = () => items<StoredDrone>(page.request, stack, "/drones");
    const drones = await list();
    expect(drones).toHaveLength(2);
    // The list is newest first.
    const [added] = drones;
    const path = `/drones/${added?.id}`;
    const stored = async () => (await get<{ drone: StoredDrone }>(page.request, stack, path)).drone;
    await page.goto(stack.url + path);
    await page.getByLabel("Name").fill("Workshop");
    await page.getByLabel("Labels").fill("gpu office");
    await button(page, "Save").click();
    await expect(page.getByRole("heading", { level: 1, name: "Workshop" })).toBeVisible();
    expect(await stored()).toMatchObject({ name: "Workshop", labels: ["gpu", "office"] });
    await button(page, "Drain").click();
    await expect(button(page, "Take new turns again")).toBeVisible();
    expect((await stored()).status).toBe("draining");
    const made = await post<{ project: { id: string } }>(page.request, stack, "/projects", {
      name: "On the second",
      droneId: added?.id,
    });
    const sessions = `/projects/${made.project.id}/sessions`;
    const { session } = await post<{ session: { id: string } }>(page.request, stack, sessions, {});
    await button(page, "Revoke").click();
    await expect(page.getByRole("dialog")).toContainText(
      "It is the drone of On the second, with 1 session",
    );
    await button(page.getByRole("dialog"), "Revoke").click();
    await expect(page).toHaveURL(`${stack.url}/drones`);
    await expect(page.getByRole("main").getByText("Workshop")).toBeHidden();
    expect((await list()).map(({ name }) => name)).not.toContain("Workshop");

    await page.goto(`${stack.url}/sessions/${session.id}`);
    await expect(page.getByText("This project's drone was revoked.")).toBeVisible();
    await send(page, "hello there, fast");
    await button(page, "Choose another").click();
    await button(page.getByRole("dialog"), "Use this drone").click();
    await expect(page.getByText("This project's drone was revoked.")).toBeHidden();
    await expectStatus(page, "finished");
  } finally {
    if (worker?.pid !== undefined && worker.exitCode === null) {
      const ended = once(worker, "exit");
      process.kill(-worker.pid, "SIGTERM");
      await ended;
    }
    await context.close();
    await stack.stop();
  }
});

test("beside a drone that beats, one that was killed becomes stale, and the notice says so", async ({
  browser,
}) => {
  const port = await freePort();
  const stack = await startOwnedStack({
    GADGET_PORT: String(port),
    GADGET_PUBLIC_URL: `http://localhost:${port}`,
  });
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  let worker: ChildProcess | undefined;
  try {
    const page = await context.newPage();
    await signIn(page.request, stack);
    const { code } = await post<{ code: string }>(page.request, stack, "/drones/enrollments");
    const args = ["run", "drone", "--", "--server", stack.url, "--enroll", code];
    worker = spawn("npm", [...args, "--name", "second"], {
      cwd: root,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, GADGET_DATA_DIR: join(stack.dataDir, "second") },
    });
    const second = async () =>
      (await items<StoredDrone>(page.request, stack, "/drones")).find(
        ({ name }) => name === "second",
      );
    await expect.poll(async () => (await second())?.status, { timeout: 60_000 }).toBe("online");
    const { project } = await post<{ project: { id: string } }>(page.request, stack, "/projects", {
      name: "There",
      droneId: (await second())?.id,
    });
    await openSession(page, stack, { projectId: project.id });
    await send(page, "Tell me a long story");
    await expect(lastTurn(page)).toContainText("I am a script", { timeout: 20_000 });
    const strip = page.getByRole("list", { name: "Drones" });
    await expect(strip).toContainText(/second.*online/);
    process.kill(-(worker.pid ?? 0), "SIGKILL");
    await expect(strip).toContainText(/second.*stale/, { timeout: 25_000 });
    await expect(
      page.getByText(/second can't be reached.*The turn goes on when it is back/),
    ).toBeVisible();
    await expect(strip).toContainText(/second.*offline/, { timeout: 25_000 });
  } finally {
    if (worker?.pid !== undefined && worker.exitCode === null && worker.signalCode === null) {
      process.kill(-worker.pid, "SIGKILL");
    }
    await context.close();
    await stack.stop();
  }
});
