import { expect, type Page } from "@playwright/test";
import {
  button,
  cancel,
  expectStatus,
  items,
  lastTurn,
  message,
  openSession,
  scriptedProvider,
  send,
  storedTurn,
} from "./owner.ts";
import type { Stack } from "./stack.ts";
import { test } from "./stack-test.ts";
import { violations } from "./violations.ts";

const dock = (page: Page) => page.getByRole("region", { name: /^Queued/ });

async function waiting(page: Page, stack: Stack, sessionId: string): Promise<string[]> {
  const queue = await items<{ text: string; mode: string }>(
    page.request,
    stack,
    `/sessions/${sessionId}/queue`,
  );
  return queue.map(({ text, mode }) => `${mode}: ${text}`);
}

test("A8 messages are queued, edited and deleted in the dock, wait after an abort, and are sent by hand", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("I am a script", { timeout: 20_000 });
  for (const text of ["first, fast", "second"]) {
    await message(page).fill(text);
    await page.keyboard.press("Enter");
    await expect(dock(page).getByText(text)).toBeVisible();
  }
  const item = (text: string) => dock(page).getByRole("listitem").filter({ hasText: text });
  await button(item("second"), "Delete").click();
  await expect(item("second")).toBeHidden();
  await button(item("first"), "Edit").click();
  await expect(dock(page).getByLabel("Edit the message")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(button(item("first"), "Edit")).toBeFocused();
  await page.keyboard.press("Enter");
  await dock(page).getByLabel("Edit the message").fill("hello there, fast");
  await page.keyboard.press("Enter");
  // The box with the draft holds the same words until the server has them.
  await expect(dock(page).getByLabel("Edit the message")).toBeHidden();
  await expect(item("hello there, fast")).toBeVisible();
  expect(await waiting(page, stack, sessionId)).toEqual(["queue: hello there, fast"]);

  await cancel(page);
  await expectStatus(page, "aborted");
  await page.reload();
  await expectStatus(page, "aborted");
  expect(await waiting(page, stack, sessionId)).toEqual(["queue: hello there, fast"]);
  await expect(dock(page)).toContainText("Paused because you stopped");
  await send(page, "hello yourself, fast");
  await expect(page.getByRole("article")).toHaveCount(2);
  await expectStatus(page, "finished");
  expect(await waiting(page, stack, sessionId)).toEqual(["queue: hello there, fast"]);
  expect(await violations(page)).toEqual([]);
  await button(dock(page), "Resume").click();
  await expect(page.getByRole("article")).toHaveCount(3);
  await expectStatus(page, "finished");
  await expect(dock(page)).toBeHidden();
  expect(await waiting(page, stack, sessionId)).toEqual([]);
  expect(await storedTurn(page.request, stack, sessionId)).toMatchObject({
    prompt: "hello there, fast",
    status: "finished",
  });
  expect(await items(page.request, stack, `/sessions/${sessionId}/turns`)).toHaveLength(3);
});

test("a queued message becomes the next turn, and a steered one reaches the model in this one", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await send(page, "Ask me a question, fast");
  const question = page.getByRole("region", { name: "Question" });
  await expect(question).toBeVisible({ timeout: 20_000 });
  await message(page).fill("mind the gap");
  await button(page, "Steer").click();
  await expect(dock(page).getByText("mind the gap")).toBeVisible();
  await message(page).fill("hello afterwards, fast");
  await button(page, "Queue").click();
  await expect(dock(page).getByText("hello afterwards, fast")).toBeVisible();
  await button(question, "Tea").click();
  await expect(page.getByRole("article")).toHaveCount(2, { timeout: 20_000 });
  await expectStatus(page, "finished");
  await expect(page.getByRole("article").first()).toContainText("I read your message");
  const turns = await items<{ prompt: string; status: string }>(
    page.request,
    stack,
    `/sessions/${sessionId}/turns`,
  );
  expect(turns.map(({ prompt, status }) => `${prompt}: ${status}`)).toEqual([
    "hello afterwards, fast: finished",
    "Ask me a question, fast: finished",
  ]);
});

test("Finish up ends a turn with a last answer, as finished", async ({ page, stack, model }) => {
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  const sessionId = await openSession(page, stack, { providerId });
  model.answer((call) => {
    if (call.request.tools === undefined || call.request.tools.length === 0) {
      call.text("So far I have this.");
    } else {
      call.tool("wait", { seconds: 1 });
    }
    call.end();
  });
  await send(page, "Take your time");
  await expect(lastTurn(page)).toContainText(/wait/i, { timeout: 20_000 });
  await button(page, "Finish up").click();
  await expectStatus(page, "finished");
  await expect(lastTurn(page)).toContainText("So far I have this.");
  expect((await storedTurn(page.request, stack, sessionId)).status).toBe("finished");
});
