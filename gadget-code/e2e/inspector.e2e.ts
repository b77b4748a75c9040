import { expect } from "@playwright/test";
import {
  button,
  emptyProject,
  expectStatus,
  get,
  lastTurn,
  message,
  openSession,
  scriptedProvider,
  send,
  storedTurn,
} from "./owner.ts";
import { test } from "./stack-test.ts";

test("Review, Files, Agents and Log show the turn as it is stored", async ({ page, stack }) => {
  const projectId = await emptyProject(page.request, stack);
  const sessionId = await openSession(page, stack, { projectId });
  await send(page, "Write a file, fast");
  await expectStatus(page, "finished");
  await page.keyboard.press("Control+j");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toContainText("notes/hello.md");
  await expect(inspector).toContainText("Look at this change in the diff");

  await button(inspector, "Files").click();
  await button(inspector, "notes").click();
  await button(inspector, "hello.md").click();
  await expect(inspector).toContainText("This note was written by the scripted demo model.");

  await button(inspector, "Agents").click();
  await expect(inspector).toContainText("No turn has started a subagent yet.");
  await send(page, "Start parallel subagents, fast");
  await expect(inspector).toContainText("Count the files", { timeout: 20_000 });
  await expect(inspector).toContainText("Write a verse");
  await expectStatus(page, "finished");

  await button(inspector, "Log").click();
  await expect(inspector).toContainText("turn:changed finished");
  const { id } = await storedTurn(page.request, stack, sessionId);
  const events = await get<{ items: { seq: number; type: string }[] }>(
    page.request,
    stack,
    `/turns/${id}/events?limit=200`,
  );
  await expect(inspector.getByRole("listitem")).toHaveCount(events.items.length);
  await page.keyboard.press("Control+j");
  await expect(inspector).toBeHidden();
});

test("A41 the inspector never covers Cancel or the composer, at any width", async ({
  page,
  stack,
}) => {
  await openSession(page, stack);
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("I am a script", { timeout: 20_000 });
  await page.keyboard.press("Control+j");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toBeVisible();
  for (const width of [1280, 1024, 960, 720, 390]) {
    await page.setViewportSize({ width, height: width < 720 ? 844 : 768 });
    for (const target of [button(page, "Cancel"), message(page)]) {
      const isOnTop = await target.evaluate((element) => {
        const { left, top, width: wide, height } = element.getBoundingClientRect();
        const hit = element.ownerDocument.elementFromPoint(left + wide / 2, top + height / 2);
        return hit !== null && element.contains(hit);
      });
      expect(isOnTop, `at ${width} px`).toBe(true);
    }
    await expect(inspector).toBeVisible();
  }
  await button(page, "Cancel").click();
  await expectStatus(page, "aborted");
});

test("the provider, the model and the approval mode of a session are chosen beside the composer", async ({
  page,
  stack,
  model,
}) => {
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  model.answer((call) => {
    call.text("Here speaks the other model.");
    call.end();
  });
  const sessionId = await openSession(page, stack);
  await page.getByLabel("Provider").selectOption(providerId);
  await expect(page.getByLabel("Model")).toHaveValue("scripted");
  await page.getByLabel("Approval mode").selectOption("read-only");
  await expect(page.getByLabel("Approval mode")).toHaveValue("read-only");
  await send(page, "Who is there?");
  await expect(lastTurn(page)).toContainText("Here speaks the other model.");
  await expectStatus(page, "finished");
  expect(await get(page.request, stack, `/sessions/${sessionId}`)).toMatchObject({
    session: { providerId, model: "scripted", approval: "read-only" },
  });
});

test("a session is exported as Markdown with what was said", async ({ page, stack }) => {
  await openSession(page, stack);
  await send(page, "hello for the record, fast");
  await expectStatus(page, "finished");
  await button(page, "Session menu").click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as Markdown" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/\.md$/);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) {
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks).toString();
  expect(text).toContain("hello for the record, fast");
  expect(text).toContain("I am a script, not an AI");
});
