import { expect } from "@playwright/test";
import {
  button,
  cancel,
  expectStatus,
  items,
  lastTurn,
  message,
  openSession,
  send,
  storedTurn,
} from "./owner.ts";
import { test } from "./stack-test.ts";

test("a question answered in one tab closes in the other, and the answer is stored", async ({
  page,
  context,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  const other = await context.newPage();
  await other.goto(`${stack.url}/sessions/${sessionId}`);
  await send(page, "Ask me a question, fast");
  for (const tab of [page, other]) {
    await expect(tab.getByRole("region", { name: "Question" })).toBeVisible({ timeout: 20_000 });
  }
  await page.keyboard.press("F6");
  await expect(page.getByRole("region", { name: "Question" })).toBeFocused();
  await message(other).fill("Cold mint lemonade");
  await button(other, "Answer").click();
  for (const tab of [page, other]) {
    await expect(tab.getByRole("region", { name: "Question" })).toBeHidden();
    await expectStatus(tab, "finished");
    await expect(lastTurn(tab)).toContainText("You answered “Cold mint lemonade”");
  }
  const { id } = await storedTurn(page.request, stack, sessionId);
  const events = await items<{ type: string }>(page.request, stack, `/turns/${id}/events`);
  expect(events.find(({ type }) => type === "question:closed")).toMatchObject({
    answer: "Cold mint lemonade",
  });
});

test("an approval is denied with a reason that the model reads, then given once", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack, { approval: "edits" });
  await send(page, "Run a long-running command, fast");
  const dock = page.getByRole("region", { name: "Approval" });
  await expect(dock).toContainText("60", { timeout: 20_000 });
  await dock.getByLabel("Reason for denying").fill("too slow for me");
  await button(dock, "Deny").click();
  await expect(dock).toBeHidden();
  await expectStatus(page, "finished");
  const denied = await storedTurn(page.request, stack, sessionId);
  const events = await items<{ type: string }>(page.request, stack, `/turns/${denied.id}/events`);
  expect(events.find(({ type }) => type === "approval:closed")).toMatchObject({
    decision: "deny",
    reason: "too slow for me",
  });
  const end = events.find(({ type }) => type === "tool:end");
  expect(JSON.stringify(end)).toContain("too slow for me");

  await send(page, "Run a long-running command, fast");
  await button(dock, "Allow once").click();
  await expect(lastTurn(page)).toContainText("2 of 60", { timeout: 20_000 });
  await cancel(page);
  await expectStatus(page, "aborted");
  await expect(lastTurn(page)).toContainText(/Stopped in .+ · \d+ process(es)? ended, 0 left/);
});
