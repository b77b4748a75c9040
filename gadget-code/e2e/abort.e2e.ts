import { execFileSync } from "node:child_process";
import { expect } from "@playwright/test";
import { cancel, items, openSession, send, storedTurn } from "./owner.ts";
import { test } from "./stack-test.ts";

/** The processes of the demo's stubborn command, which prints under these names. */
function stubborn(): string[] {
  const table = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return table.split("\n").filter((line) => /still here/.test(line));
}

test("A40 Esc Esc while a stubborn command runs ends every process of it", async ({
  page,
  stack,
}) => {
  test.skip(process.platform !== "linux", "the process table is read as on Linux");
  const sessionId = await openSession(page, stack, { approval: "edits" });
  await send(page, "Start something that won't stop, fast");
  await page.getByRole("button", { name: "Allow once" }).click();
  const turn = page.getByRole("article");
  await expect(turn).toContainText("still here (2)", { timeout: 30_000 });
  expect(stubborn().length).toBeGreaterThan(2);

  await page.keyboard.press("Escape");
  await expect(page.getByRole("status").getByText("Press Esc again to abort")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(turn).toHaveAttribute("data-status", "aborted");
  expect(stubborn()).toEqual([]);
  await expect(turn).toContainText(/Stopped in .+ processes ended, 0 left/);
  expect(await storedTurn(page.request, stack, sessionId)).toMatchObject({
    status: "aborted",
    stopped: { left: 0 },
  });
});

test("A5 the Cancel button aborts, and a second tab and a reload show the same", async ({
  page,
  context,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  const other = await context.newPage();
  await other.goto(`${stack.url}/sessions/${sessionId}`);
  await send(page, "Tell me a long story");
  await expect(other.getByRole("article")).toContainText("Marigold", { timeout: 20_000 });
  await cancel(page);
  for (const tab of [page, other]) {
    await expect(tab.getByRole("article")).toHaveAttribute("data-status", "aborted");
    await expect(tab.getByRole("article")).toContainText("The turn was aborted by you.");
  }
  const { id } = await storedTurn(page.request, stack, sessionId);
  const events = await items<object>(page.request, stack, `/turns/${id}/events`);
  expect(events.at(-1)).toMatchObject({ type: "turn:changed", status: "aborted" });
  const shown = await page
    .getByRole("article")
    .getByText(/Marigold/)
    .first()
    .innerText();
  await page.reload();
  await expect(page.getByRole("article")).toHaveAttribute("data-status", "aborted");
  await expect(page.getByRole("article")).toContainText(shown);
  await expect(page.getByRole("textbox", { name: "Message" })).toBeFocused();
});

test("A22 an abort closes the question in every tab, and a late answer is refused", async ({
  page,
  context,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  const other = await context.newPage();
  await other.goto(`${stack.url}/sessions/${sessionId}`);
  await send(page, "Ask me a question, fast");
  for (const tab of [page, other]) {
    await expect(tab.getByRole("region", { name: /question/i })).toBeVisible({ timeout: 20_000 });
  }
  const { id } = await storedTurn(page.request, stack, sessionId);
  const events = await items<{ type: string; questionId?: string }>(
    page.request,
    stack,
    `/turns/${id}/events`,
  );
  const questionId = events.find(({ type }) => type === "question:open")?.questionId;
  await cancel(page);
  for (const tab of [page, other]) {
    await expect(tab.getByRole("region", { name: /question/i })).toBeHidden();
    await expect(tab.getByRole("article")).toHaveAttribute("data-status", "aborted");
  }
  const late = await page.request.post(`${stack.url}/api/v1/turns/${id}/questions/${questionId}`, {
    data: { answer: "too late" },
    headers: { origin: stack.url },
  });
  expect(late.status()).toBe(409);
});
