import { expect, test } from "@playwright/test";
import { send, storedTurn } from "./owner.ts";
import { type Stack, startStack } from "./stack.ts";

let stack: Stack;
test.beforeAll(async () => {
  stack = await startStack();
});
test.afterAll(() => stack.stop());

test("from the set-up link to a story, Esc Esc, and a stored aborted turn", async ({ page }) => {
  await page.goto(stack.setupUrl ?? "");
  await page.getByLabel("Email").fill("owner@example.com");
  await page.getByLabel("Name").fill("Olive");
  await page.getByLabel("Password").fill("a long enough password");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: /Demo \(scripted\)/ }).click();
  await page.getByRole("button", { name: /Sample project/ }).click();
  await expect(page.getByRole("textbox", { name: "Message" })).toBeFocused();

  await send(page, "Tell me a long story");
  const turn = page.getByRole("article");
  // The demo says in its first sentence what it is; then the story flows.
  await expect(turn).toContainText("I am a script", { timeout: 20_000 });
  await expect(turn).toHaveAttribute("data-status", "processing");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(turn).toHaveAttribute("data-status", "aborted");
  await expect(turn).toContainText("The turn was aborted by you.");
  await expect(page.getByRole("button", { name: "Send", exact: true })).toBeVisible();
  const sessionId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  expect(await storedTurn(page.request, stack, sessionId)).toMatchObject({
    status: "aborted",
    prompt: "Tell me a long story",
  });

  await send(page, "hello again, fast");
  await expect(page.getByRole("article").last()).toHaveAttribute("data-status", "finished", {
    timeout: 20_000,
  });
});
