import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScriptedModel } from "@gadget/testing/scripted-model";
import { expect, type Locator, type Page } from "@playwright/test";
import {
  button,
  cancel,
  expectStatus,
  items,
  openSession,
  post,
  scriptedProvider,
  send,
} from "./owner.ts";
import type { Stack } from "./stack.ts";
import { test } from "./stack-test.ts";
import { violations } from "./violations.ts";

const line = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done";

/** A session in a folder of its own, where the model starts a background command. */
async function openWithCommand(
  page: Page,
  stack: Stack,
  model: ScriptedModel,
  afterwards: "ends" | "goes on",
) {
  const directory = await mkdtemp(join(stack.roots, "commands-"));
  const { project } = await post<{ project: { id: string } }>(page.request, stack, "/projects", {
    name: "Commands",
    directory,
  });
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  model.answer((call) => {
    if (call.toolResults.length === 0) {
      call.tool("shell", { command: line, background: true });
    } else {
      call.text("It runs.");
    }
    if (afterwards === "ends" || call.toolResults.length === 0) {
      call.end();
    }
  });
  const sessionId = await openSession(page, stack, { projectId: project.id, providerId });
  return { sessionId, directory };
}

const dockOf = (page: Page): Locator => page.getByRole("region", { name: "Background commands" });

async function pidIn(directory: string): Promise<number> {
  const text = () => readFile(join(directory, "pid"), "utf8").catch(() => "");
  await expect.poll(text, { timeout: 20_000 }).toMatch(/^\d+\n$/);
  return Number(await text());
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a background command is listed after its turn, and Stop ends it in every tab", async ({
  page,
  context,
  stack,
  model,
}) => {
  const { sessionId, directory } = await openWithCommand(page, stack, model, "ends");
  await send(page, "Start the server");
  await expectStatus(page, "finished");
  await expect(dockOf(page)).toContainText(/trap .+since \d\d:\d\d/);
  const pid = await pidIn(directory);
  expect(lives(pid)).toBe(true);
  const listed = await items<{ command: string }>(
    page.request,
    stack,
    `/sessions/${sessionId}/commands`,
  );
  expect(listed.map(({ command }) => command)).toEqual([line]);

  expect(await violations(page)).toEqual([]);

  const other = await context.newPage();
  await other.goto(`${stack.url}/sessions/${sessionId}`);
  await expect(dockOf(other)).toContainText("trap");
  await button(dockOf(page), "Stop").click();
  await expect(page.getByText(/Stopped in .+ · \d+ process(es)? ended, 0 left/)).toBeVisible();
  await expect(dockOf(page)).toBeHidden();
  expect(lives(pid)).toBe(false);
  await expect(dockOf(other)).toBeHidden({ timeout: 20_000 });
});

test("a background command is listed while its turn runs, and goes with its abort", async ({
  page,
  stack,
  model,
}) => {
  const { directory } = await openWithCommand(page, stack, model, "goes on");
  await send(page, "Start the server");
  await expect(dockOf(page)).toContainText("trap", { timeout: 20_000 });
  await expectStatus(page, "processing");
  const pid = await pidIn(directory);
  await cancel(page);
  await expectStatus(page, "aborted");
  expect(lives(pid)).toBe(false);
  await expect(dockOf(page)).toBeHidden();
});
