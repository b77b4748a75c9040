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

test("Edit and resend goes on in a copy of the session up to that prompt", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  for (const prompt of ["hello one, fast", "hello two, fast", "Show me error 401"]) {
    await send(page, prompt);
    await expect(lastTurn(page)).toContainText(prompt);
    await expect(lastTurn(page)).toHaveAttribute("data-status", /finished|error/, {
      timeout: 20_000,
    });
  }
  await message(page).fill("And another thing.");
  const second = page.getByRole("article").nth(1);
  await second.hover();
  await button(second, "Edit and resend").click();
  await expect(message(page)).toBeFocused();
  await expect(message(page)).toHaveValue("hello two, fast");
  await expect(page.getByRole("status").getByText("makes a copy of this session")).toBeVisible();
  await button(page, "Discard edit").click();
  await expect(message(page)).toHaveValue("And another thing.");

  await button(lastTurn(page), "Edit and resend").click();
  await second.hover();
  await button(second, "Edit and resend").click();
  await message(page).fill("hello instead, fast");
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(new RegExp(sessionId));
  await expect(page.getByRole("article")).toHaveCount(2);
  await expectStatus(page, "finished");
  await expect(page.getByRole("article").first()).toContainText("hello one, fast");
  await expect(lastTurn(page)).toContainText("hello instead, fast");

  const turns = await items<{ prompt: string }>(
    page.request,
    stack,
    `/sessions/${sessionId}/turns`,
  );
  expect(turns).toHaveLength(3);
  await page.goBack();
  await expect(page.getByRole("article")).toHaveCount(3);
  await expect(message(page)).toHaveValue("And another thing.");
});

test("Ctrl Z takes back what an edit put into the composer, and what was typed", async ({
  page,
  stack,
}) => {
  await openSession(page, stack);
  await send(page, "hello, fast");
  await expectStatus(page, "finished");
  await message(page).pressSequentially("BACKGROUND");
  await lastTurn(page).hover();
  await button(lastTurn(page), "Edit and resend").click();
  await message(page).pressSequentially(" server");
  await expect(message(page)).toHaveValue("hello, fast server");
  for (let times = 0; times < 40 && (await message(page).inputValue()) !== ""; times += 1) {
    await page.keyboard.press("Control+z");
    // Never a mixture of both.
    const shown = await message(page).inputValue();
    expect(["hello, fast server", "BACKGROUND"].some((text) => text.startsWith(shown))).toBe(true);
  }
  await expect(message(page)).toHaveValue("");
});

test("an earlier prompt can be edited while a turn runs, and Cancel stays what it is", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await send(page, "hello first, fast");
  await expectStatus(page, "finished");
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("Marigold", { timeout: 20_000 });
  const first = page.getByRole("article").first();
  await first.hover();
  await button(first, "Edit and resend").click();
  await expect(button(page, "Queue")).toBeHidden();
  await expect(button(page, "Send in a copy")).toBeVisible();
  await cancel(page);
  await expectStatus(page, "aborted");
  await button(page, "Send").click();
  await expect(page).not.toHaveURL(new RegExp(sessionId));
  await expect(page.getByRole("article")).toHaveCount(1);
  const { prompt, status } = await storedTurn(page.request, stack, sessionId);
  expect([prompt, status]).toEqual(["Tell me a long story", "aborted"]);
});
