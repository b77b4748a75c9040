import { expect } from "@playwright/test";
import {
  button,
  cancel,
  expectStatus,
  lastTurn,
  message,
  openSession,
  storedTurn,
} from "./owner.ts";
import { test } from "./stack-test.ts";

test.use({ viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true });

test("on a phone: Enter breaks the line, buttons send, steer and cancel, nothing overflows", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  const choices = await page.getByRole("button", { name: /^Choices: / }).boundingBox();
  const sends = await button(page, "Send").boundingBox();
  // One line: the composer takes no more of a small screen than it needs.
  expect((choices?.y ?? 0) + (choices?.height ?? 0)).toBeGreaterThan(sends?.y ?? 0);
  await message(page).tap();
  await page.keyboard.type("Tell me a long story of machines that stop");
  await page.keyboard.press("Enter");
  await page.keyboard.type("slowly");
  await expect(message(page)).toHaveValue("Tell me a long story of machines that stop\nslowly");
  await expect(message(page)).toHaveCSS("font-size", "16px");
  await button(page, "Send").tap();
  await expect(lastTurn(page)).toContainText("I am a script", { timeout: 20_000 });
  // A long title is cut, and the buttons stay beside it.
  const title = await page.getByRole("heading", { level: 1 }).boundingBox();
  const inspector = await page.getByRole("button", { name: "Inspector" }).boundingBox();
  expect(inspector?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0));
  await message(page).fill("shorter, please");
  for (const name of ["Steer", "Queue", "Cancel"]) {
    await expect(button(page, name)).toBeInViewport();
  }
  await button(page, "Queue").tap();
  await expect(page.getByRole("region", { name: "Queued" })).toContainText("shorter");
  const overflow = () =>
    page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  expect(await overflow()).toBe(0);
  await cancel(page);
  await expectStatus(page, "aborted");
  expect((await storedTurn(page.request, stack, sessionId)).status).toBe("aborted");

  const bar = page.getByRole("navigation", { name: "Main" }).last();
  await button(bar, "Sessions").tap();
  await expect(page.getByRole("complementary", { name: "Sidebar" })).toBeVisible();
  await bar.getByRole("link", { name: "Home" }).tap();
  await expect(page.getByRole("heading", { level: 1, name: "Home" })).toBeVisible();
  for (const path of ["/", "/drones", "/settings/providers", "/admin"]) {
    await page.goto(stack.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await overflow(), path).toBe(0);
  }
});
