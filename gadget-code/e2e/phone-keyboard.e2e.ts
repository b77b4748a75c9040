import { expect } from "@playwright/test";
import { button, message, openSession, scriptedProvider, send } from "./owner.ts";
import { test } from "./stack-test.ts";
import { violations } from "./violations.ts";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

const keyboardUp = { width: 390, height: 480 };
const command = Array.from({ length: 14 }, (_, line) => `echo line ${line} of a long command`).join(
  " && ",
);

/** Scrolls the command to its end: how much of it stays out of sight, and how much room it has. */
const readToEnd = `(() => {
  const command = document.querySelector("[data-dock] pre");
  let scroller = command;
  while (scroller.scrollHeight <= scroller.clientHeight + 1) scroller = scroller.parentElement;
  scroller.scrollTop = scroller.scrollHeight;
  const room = scroller.getBoundingClientRect();
  return { hidden: Math.max(0, command.getBoundingClientRect().bottom - room.bottom), room: room.height };
})()`;

test("with the keyboard up a command can be read whole before it is allowed, and the bar is gone", async ({
  page,
  stack,
  model,
}) => {
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  await openSession(page, stack, { providerId, approval: "edits" });
  model.answer((call) => {
    if (call.toolResults.length === 0) {
      call.tool("shell", { command });
    } else {
      call.text("Done.");
    }
    call.end();
  });
  const bar = page.getByRole("navigation", { name: "Main" }).last();
  await expect(bar).toBeVisible();
  await message(page).fill("Go");
  await button(page, "Send").tap();
  await expect(button(page, "Allow once")).toBeVisible({ timeout: 20_000 });
  await message(page).tap();
  await page.setViewportSize(keyboardUp);
  await expect(bar).toBeHidden();
  for (const name of ["Allow once", "Deny", "Cancel"]) {
    await expect(button(page, name)).toBeInViewport({ ratio: 1 });
  }
  const { hidden, room } = await page.evaluate<{ hidden: number; room: number }>(readToEnd);
  expect(hidden).toBeLessThan(1);
  expect(room).toBeGreaterThan(96);
  await expect(message(page)).toBeInViewport({ ratio: 1 });
  expect(await violations(page)).toEqual([]);
  await button(page, "Deny").tap();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(bar).toBeVisible();
});

test("one chip stands for mode and model, and sheets close by Esc and by back", async ({
  page,
  stack,
}) => {
  await openSession(page, stack, { approval: "edits" });
  const session = page.url();
  const chip = page.getByRole("button", { name: /^Choices: / });
  await expect(chip).toHaveText("Ask for commands · demo");
  await chip.tap();
  const sheet = page.getByRole("dialog", { name: "Choices of this session" });
  await sheet.getByRole("combobox", { name: "Approval mode" }).selectOption("ask");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await chip.tap();
  await expect(sheet.getByRole("combobox", { name: "Approval mode" })).toHaveValue("ask");
  await page.goBack();
  await expect(sheet).toBeHidden();

  const drawer = page.getByRole("complementary", { name: "Sidebar" });
  const sessions = button(page.getByRole("navigation", { name: "Main" }).last(), "Sessions");
  await sessions.tap();
  await expect(drawer).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await sessions.tap();
  await expect(drawer).toBeVisible();
  await page.goBack();
  await expect(drawer).toBeHidden();
  expect(page.url()).toBe(session);
  await send(page, "hello, fast");
});
