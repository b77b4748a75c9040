import { expect } from "@playwright/test";
import { email, expectStatus, lastTurn, message, password, signIn, storedTurn } from "./owner.ts";
import { test } from "./stack-test.ts";

test.use({ storageState: { cookies: [], origins: [] } });

test("from signing in to an abort with keys alone", async ({ page, stack }) => {
  await page.goto(`${stack.url}/login`);
  await expect(page.getByLabel("Email")).toBeFocused();
  await page.keyboard.type(email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Home" })).toBeVisible();

  await page.keyboard.press("Tab");
  await expect(page.getByText("Skip to the content")).toBeFocused();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new session in sample");
  await expect(page.getByRole("option").first()).toContainText("New session in");
  await page.keyboard.press("Enter");
  await expect(message(page)).toBeFocused();
  // What stands before the composer is there once the session is open.
  await expect(page.getByRole("heading", { name: "What should we do?" })).toBeVisible();
  await page.keyboard.press("Shift+Tab");
  await expect(page.locator(":focus-visible")).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.type("Tell me a long story");
  await page.keyboard.press("Enter");
  await expect(lastTurn(page)).toContainText(/\w+/, { timeout: 20_000 });
  await expectStatus(page, "processing");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expectStatus(page, "aborted");
  await expect(message(page)).toBeFocused();
  const sessionId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  expect(await storedTurn(page.request, stack, sessionId)).toMatchObject({
    status: "aborted",
    prompt: "Tell me a long story",
  });
});

test("the palette keeps its place while its results grow fewer", async ({
  page,
  stack,
  context,
}) => {
  await signIn(context.request, stack);
  await page.goto(stack.url);
  await expect(page.getByRole("heading", { level: 1, name: "Home" })).toBeVisible();
  await page.keyboard.press("Control+k");
  const box = page.getByRole("dialog").getByRole("combobox");
  await expect(page.getByRole("option").nth(3)).toBeVisible();
  const top = async () => (await box.boundingBox())?.y;
  const before = await top();
  for (const words of ["home", "zzzz"]) {
    await box.fill(words);
    await expect(page.getByRole("option").nth(3)).toBeHidden();
    expect(await top()).toBe(before);
  }
});
