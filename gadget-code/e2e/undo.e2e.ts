import { expect, type Page } from "@playwright/test";
import {
  button,
  cancel,
  emptyProject,
  expectStatus,
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

const hello = async (page: Page, { url }: Stack, sessionId: string): Promise<number> =>
  (
    await page.request.get(`${url}/api/v1/sessions/${sessionId}/files?path=notes/hello.md`)
  ).status();

test("A31 a turn's changes are previewed, undone and redone", async ({ page, stack }) => {
  const projectId = await emptyProject(page.request, stack);
  const sessionId = await openSession(page, stack, { projectId });
  await send(page, "Write a file, fast");
  await expectStatus(page, "finished");
  expect((await storedTurn(page.request, stack, sessionId)).filesChanged).toMatchObject([
    { path: "notes/hello.md" },
  ]);
  expect(await hello(page, stack, sessionId)).toBe(200);

  await button(lastTurn(page), "Undo changes").click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("notes/hello.md");
  await expect(dialog).toContainText("Look at this change in the diff");
  expect(await hello(page, stack, sessionId)).toBe(200);
  await button(dialog, "Undo").click();
  await expect(dialog).toBeHidden();
  expect(await hello(page, stack, sessionId)).toBe(404);

  await expect(lastTurn(page)).toContainText(/Undone\s*·\s*Redo/);
  await page.reload();
  await expect(lastTurn(page)).toContainText(/Undone\s*·\s*Redo/);
  await page.keyboard.press("Control+j");
  await expect(page.getByText("These changes were undone.")).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Control+j");
  await button(lastTurn(page), "Redo changes").click();
  await button(dialog, "Redo").click();
  await expect(lastTurn(page)).not.toContainText("Undone");
  await expect(dialog).toBeHidden();
  expect(await hello(page, stack, sessionId)).toBe(200);
});

test("an aborted turn is continued without an invented message, also after an edit was begun", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("Marigold", { timeout: 20_000 });
  await cancel(page);
  await expectStatus(page, "aborted");
  const aborted = await storedTurn(page.request, stack, sessionId);

  await button(lastTurn(page), "Edit and resend").click();
  await expect(message(page)).toBeFocused();
  await expect(message(page)).toHaveValue("Tell me a long story");
  await button(page, "Discard edit").click();
  await expect(message(page)).toHaveValue("");
  await button(lastTurn(page), "Continue").click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(lastTurn(page)).toContainText("ended early", { timeout: 20_000 });
  expect(await storedTurn(page.request, stack, sessionId)).toMatchObject({
    continues: aborted.id,
    prompt: "",
  });
  await cancel(page);
  await expectStatus(page, "aborted");
});

test("a turn that failed goes on by Continue once its cause is mended; the prompt is not sent twice", async ({
  page,
  stack,
  model,
}) => {
  model.answer((call) => {
    if (call.toolResults.length === 0) {
      call.tool("list_files", { path: "." });
      return call.end();
    }
    return call.refuse(401);
  });
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  const sessionId = await openSession(page, stack, { providerId });
  await send(page, "Look around twice");
  await expectStatus(page, "error");
  const failed = await storedTurn(page.request, stack, sessionId);
  await expect(lastTurn(page)).toContainText("The provider refused the API key.");
  expect(await violations(page)).toEqual([]);

  await lastTurn(page).getByRole("link", { name: "Open the settings of Scripted" }).click();
  await expect(page.getByLabel("API key", { exact: true })).toBeVisible();
  await page.goBack();

  model.answer((call) => {
    call.text("Seen all of it.");
    call.end();
  });
  await button(lastTurn(page), "Continue").click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expectStatus(page, "finished");
  await expect(lastTurn(page)).toContainText("Seen all of it.");
  await expect(button(page, "Continue")).toHaveCount(0);
  expect(await storedTurn(page.request, stack, sessionId)).toMatchObject({
    continues: failed.id,
    prompt: "",
  });
  const asked = model.calls.at(-1)?.request.messages ?? [];
  const prompts = asked.filter(({ content }) =>
    JSON.stringify(content).includes("Look around twice"),
  );
  expect(prompts).toHaveLength(1);
  expect(model.calls.at(-1)?.toolResults).toHaveLength(1);
});
