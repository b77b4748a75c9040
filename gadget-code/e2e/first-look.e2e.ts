import { expect } from "@playwright/test";
import { test } from "./stack-test.ts";

test("before the bundle has come there is a line in the chosen theme, and no white page", async ({
  page,
  stack,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.addInitScript("localStorage.setItem('gadget.theme', 'dark')");
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(/assets\/.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  const style = await page.request.get(stack.url).then((answer) => answer.text());
  expect(style).toContain("Loading…");
  await page.goto(stack.url, { waitUntil: "commit" });
  await expect(page.getByText("Loading…")).toBeVisible();
  await expect(page.getByText("Gadget Code")).toBeVisible();
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  await expect.poll(ground).toBe("rgb(18, 19, 22)");
  expect(await page.evaluate("document.documentElement.style.colorScheme")).toBe("dark");
  letThrough();
  await expect(page.getByRole("heading", { level: 1, name: "Home" })).toBeVisible();
  await expect(page.getByText("Loading…")).toBeHidden();
});
