import { type APIRequestContext, expect, type Page, test } from "@playwright/test";
import { type Stack, startStack } from "./stack.ts";

let stack: Stack;
test.beforeAll(async () => {
  stack = await startStack();
});
test.afterAll(() => stack.stop());

interface StoredTurn {
  id: string;
  status: string;
  prompt: string;
}

async function latestTurn(request: APIRequestContext): Promise<StoredTurn> {
  const response = await request.get(`${stack.url}/api/v1/turns?limit=1`);
  const { items } = (await response.json()) as { items: StoredTurn[] };
  const [turn] = items;
  if (turn === undefined) throw new Error("no turn is stored");
  return turn;
}

async function send(page: Page, prompt: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(prompt);
  await page.getByRole("button", { name: "Send" }).click();
}

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
  await expect(turn).toHaveAttribute("data-status", "processing");
  // The demo says in its first sentence what it is; then the story flows.
  await expect(turn).toContainText("script");
  await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();

  await page.keyboard.press("Escape");
  await expect(page.getByText("Press Esc again to abort")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(turn).toHaveAttribute("data-status", "aborted");
  await expect(turn).toContainText("The turn was aborted by you.");
  await expect(turn).toContainText(/Stopped in .* 0 left/);
  await expect(page.getByRole("button", { name: "Send" })).toBeVisible();

  const stored = await latestTurn(page.request);
  expect(stored).toMatchObject({ status: "aborted", prompt: "Tell me a long story" });
  const response = await page.request.get(`${stack.url}/api/v1/turns/${stored.id}/events`);
  const { items } = (await response.json()) as { items: { type: string; status?: string }[] };
  expect(items.at(-1)).toMatchObject({ type: "turn:changed", status: "aborted" });

  const shown = await turn.innerText();
  await page.reload();
  await expect(turn).toHaveAttribute("data-status", "aborted");
  await expect(turn).toContainText("The turn was aborted by you.");
  expect(shown).toContain("script");
  await expect(turn).toContainText("script");

  await send(page, "hello again, fast");
  await expect(page.getByRole("article").last()).toHaveAttribute("data-status", "finished", {
    timeout: 20_000,
  });
  expect(await latestTurn(page.request)).toMatchObject({ status: "finished" });
});
