import { expect } from "@playwright/test";
import { button, expectStatus, items, message, openSession, send } from "./owner.ts";
import { test } from "./stack-test.ts";

test("the palette finds pages, actions and words in chats, by keys alone", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await send(page, "hello zanzibar, fast");
  await expectStatus(page, "finished");
  const found = await items<{ sessionId: string }>(page.request, stack, "/search?q=zanzibar");
  expect(found.map((hit) => hit.sessionId)).toContain(sessionId);

  await page.goto(stack.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("drones");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${stack.url}/drones`);

  await button(page, "Search Ctrl K").click();
  const dialog = page.getByRole("dialog");
  await page.keyboard.type("zanzibar");
  await expect(dialog.getByRole("option").first()).toContainText("zanzibar");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/sessions/${sessionId}`));

  const before = await items(page.request, stack, "/sessions");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new session in sample");
  await expect(dialog.getByRole("option").first()).toContainText("New session in");
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(new RegExp(sessionId));
  await expect(message(page)).toBeFocused();
  expect(await items(page.request, stack, "/sessions")).toHaveLength(before.length + 1);

  // An untouched session is taken before another one is made.
  const fresh = page.url();
  await page.goto(stack.url);
  await button(page, "New session in Sample project").click();
  await expect(page).toHaveURL(fresh);
  await expect(message(page)).toBeFocused();
  expect(await items(page.request, stack, "/sessions")).toHaveLength(before.length + 1);
  await send(page, "hello, fast");
  await expectStatus(page, "finished");
  await button(page, "New session in Sample project").click();
  await expect(page).not.toHaveURL(fresh);
  await expect(message(page)).toBeFocused();
  expect(await items(page.request, stack, "/sessions")).toHaveLength(before.length + 2);
});

test("? opens the sheet of shortcuts, and Ctrl B hides the sidebar", async ({ page, stack }) => {
  await page.goto(stack.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(sheet).toContainText("Esc Esc");
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  const sidebar = page.getByRole("complementary", { name: "Sidebar" });
  await expect(sidebar).toBeVisible();
  await page.keyboard.press("Control+b");
  await expect(sidebar).toBeHidden();
  await page.keyboard.press("Control+b");
  await expect(sidebar).toBeVisible();
});
