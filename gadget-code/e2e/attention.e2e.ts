import { EventEmitter, once } from "node:events";
import { expect, type Page } from "@playwright/test";
import {
  button,
  expectStatus,
  items,
  lastTurn,
  message,
  openSession,
  scriptedProvider,
  send,
} from "./owner.ts";
import { test } from "./stack-test.ts";

const icon = (page: Page) => page.locator('link[rel="icon"]');

test("the tab says which session it shows, and that one waits for a person", async ({
  page,
  context,
  stack,
}) => {
  const elsewhere = await context.newPage();
  await elsewhere.goto(stack.url);
  await openSession(page, stack);
  await send(page, "Ask me a question, fast");
  await expect(page.getByRole("region", { name: "Question" })).toBeVisible({ timeout: 20_000 });
  await expect(page).toHaveTitle(/^\(\d+\) Ask me a question, fast · Gadget Code$/);
  await expect(elsewhere).toHaveTitle(/^\(\d+\) Gadget Code$/);
  await expect(icon(elsewhere)).toHaveAttribute("href", "/favicon-dot.svg");
  const needsYou = elsewhere.getByRole("region", { name: "Needs you" });
  await expect(needsYou.getByRole("link", { name: /Ask me a question/ }).first()).toBeVisible();
  const waiting = Number(/\d+/.exec(await page.title())?.[0]);

  await message(page).fill("Blue");
  await button(page, "Answer").click();
  await expectStatus(page, "finished");
  const left = waiting > 1 ? `(${waiting - 1}) ` : "";
  await expect(elsewhere).toHaveTitle(`${left}Gadget Code`);
  await expect(page).toHaveTitle(`${left}Ask me a question, fast · Gadget Code`);
  if (left === "") {
    await expect(icon(elsewhere)).toHaveAttribute("href", "/favicon.svg");
  }
});

test("who reads further up is not moved, hears of what is new, and gets there by the pill", async ({
  page,
  stack,
  model,
}) => {
  const pen = new EventEmitter();
  const paragraphs = Array.from({ length: 60 }, (_, n) => `Paragraph ${n}.`).join("\n\n");
  model.answer(async (call) => {
    if (call.toolResults.length > 0) {
      call.text("The very end.");
    } else {
      call.text(paragraphs);
      await once(pen, "go on");
      for (const pattern of ["*.md", "*.ts"]) {
        call.tool("glob", { pattern });
      }
    }
    call.end();
  });
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  await openSession(page, stack, { providerId });
  await send(page, "Write a lot");
  await expect(page.getByText("Paragraph 59.")).toBeInViewport();
  const pill = page.getByRole("button", { name: /^Jump to latest/ });
  await expect(pill).toBeHidden();
  const box = await lastTurn(page).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 100, 300);
  await page.mouse.wheel(0, -600);
  await expect(pill).toBeVisible();
  await expect(page.getByText("Paragraph 59.")).not.toBeInViewport();
  const top = () => lastTurn(page).evaluate((turn) => turn.getBoundingClientRect().top);
  const before = await top();

  pen.emit("go on");
  await expectStatus(page, "finished");
  expect(await top()).toBe(before);
  await expect(pill).toHaveText(/^Jump to latest · \d+ new$/);
  await pill.click();
  await expect(page.getByText("The very end.")).toBeInViewport();
  await expect(pill).toBeHidden();
});

test("the skip link leads to the composer, and Ctrl Shift O to a new session beside it", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await expect(message(page)).toBeFocused();
  const [session] = await items<{ id: string; projectId: string }>(
    page.request,
    stack,
    "/sessions",
  );
  expect(session?.id).toBe(sessionId);
  await page.getByRole("link", { name: "Gadget Code" }).focus();
  await page.keyboard.press("Shift+Tab");
  const skip = page.getByText("Skip to the composer");
  await expect(skip).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(message(page)).toBeFocused();

  // One in which nothing was said yet would be the new session already.
  await send(page, "hello");
  await expectStatus(page, "finished");
  await page.keyboard.press("Control+Shift+O");
  await expect(page).not.toHaveURL(new RegExp(sessionId));
  await expect(message(page)).toBeFocused();
  const [created] = await items<{ id: string; projectId: string }>(
    page.request,
    stack,
    "/sessions",
  );
  expect(page.url()).toContain(created?.id);
  expect(created?.projectId).toBe(session?.projectId);
});
