import { expect } from "@playwright/test";
import { button, expectStatus, message, openSession, send, storedTurn } from "./owner.ts";
import { test } from "./stack-test.ts";
import { violations } from "./violations.ts";

test("@ finds files by letters of their names, by keys, and Esc closes the list alone", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await message(page).pressSequentially("Look fast at @grtst");
  const files = page.getByRole("listbox", { name: "Files" });
  const option = files.getByRole("option", { name: "src/greet.test.js", exact: true });
  await expect(option).toHaveAttribute("aria-selected", "true");
  await expect(message(page)).toHaveAttribute(
    "aria-activedescendant",
    (await option.getAttribute("id")) ?? "none",
  );
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(message(page)).toHaveValue("Look fast at @src/greet.test.js ");
  await expect(files).toBeHidden();
  await message(page).pressSequentially("and @src");
  await expect(files.getByRole("option").first()).toHaveText("src");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await expect(message(page)).toHaveValue(/ and @src\/greet\.js $/);
  await message(page).pressSequentially("@zzz");
  await expect(page.getByText("No file matches.").last()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("No file matches.")).toHaveCount(0);
  await message(page).press("Enter");
  await expectStatus(page, "finished");
  const { prompt } = await storedTurn(page.request, stack, sessionId);
  expect(prompt).toContain("@src/greet.test.js and @src/greet.js");
});

test("A40 an Esc that closes the list of files does not count for the abort", async ({
  page,
  stack,
}) => {
  await openSession(page, stack);
  await send(page, "Tell me a long story");
  await expect(button(page, "Cancel")).toBeEnabled();
  await message(page).pressSequentially("@greet");
  const files = page.getByRole("listbox", { name: "Files" });
  await expect(files).toBeVisible();
  const hint = page.getByText("Press Esc again to abort");
  await page.keyboard.press("Escape");
  await expect(files).toBeHidden();
  await expect(hint).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(hint).toBeVisible();
  await page.keyboard.press("Escape");
  await expectStatus(page, "aborted");
});

test("the palette finds files of the open session, and names the chosen one in the composer", async ({
  page,
  stack,
}) => {
  await openSession(page, stack);
  await message(page).pressSequentially("Look at");
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog");
  await page.keyboard.type("greettest");
  await expect(dialog.getByRole("option").first()).toHaveText("src/greet.test.jsFile");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(message(page)).toBeFocused();
  await expect(message(page)).toHaveValue("Look at @src/greet.test.js ");
  await page.keyboard.press("Control+z");
  await expect(message(page)).toHaveValue("Look at");
  await message(page).pressSequentially(" it fast");
  await message(page).press("Enter");
  await expectStatus(page, "finished");
});
