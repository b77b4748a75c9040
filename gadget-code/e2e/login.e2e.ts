import { expect } from "@playwright/test";
import { button, email, get, password } from "./owner.ts";
import { test } from "./stack-test.ts";

test.use({ storageState: { cookies: [], origins: [] } });

test("a wrong password is refused, the right one leads to where one was going, and out again", async ({
  page,
  stack,
}) => {
  await page.goto(`${stack.url}/drones`);
  await expect(page).toHaveURL(`${stack.url}/login`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill("not my password");
  await button(page, "Sign in").click();
  await expect(page.getByRole("alert")).toBeVisible();
  expect((await page.request.get(`${stack.url}/api/v1/me`)).status()).toBe(401);

  await page.getByLabel("Password").fill(password);
  await button(page, "Sign in").click();
  await expect(page).toHaveURL(`${stack.url}/drones`);
  expect(await get(page.request, stack, "/me")).toMatchObject({ user: { email } });

  await page.goto(`${stack.url}/settings/account`);
  await button(page, "Sign out").click();
  await expect(page).toHaveURL(`${stack.url}/login`);
  expect((await page.request.get(`${stack.url}/api/v1/me`)).status()).toBe(401);
});
