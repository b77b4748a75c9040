import { expect } from "@playwright/test";
import {
  button,
  email,
  expectStatus,
  get,
  items,
  lastTurn,
  newMember,
  openSession,
  patch,
  scriptedProvider,
  send,
} from "./owner.ts";
import { test } from "./stack-test.ts";

test("a provider is added, tested, found wanting, corrected and removed", async ({
  page,
  stack,
  model,
}) => {
  await page.goto(`${stack.url}/settings/providers`);
  await button(page, "Add provider").click();
  await page.getByLabel("Kind").selectOption({ label: "Other" });
  await page.getByLabel("Name").fill("Workbench");
  await page.getByLabel("Base URL").fill("http://127.0.0.1:9/v1");
  await page.getByLabel("API key").fill("secret-canary");
  await button(page, "Save and test").click();
  await expect(button(page, "Save and test again")).toBeVisible();
  await expect(page.getByRole("status").first()).toBeVisible();
  // What did not answer was not kept.
  const names = async () =>
    (await items<{ name: string }>(page.request, stack, "/providers")).map(({ name }) => name);
  expect(await names()).not.toContain("Workbench");
  await button(page, "Save anyway").click();
  const marked = page.getByRole("listitem").filter({ hasText: "Workbench" });
  await expect(marked.getByRole("status")).toBeVisible();
  await page.reload();
  await expect(marked.getByRole("status")).toBeVisible();
  await expect(page).toHaveTitle("Providers · Settings · Gadget Code");
  await button(marked, "Remove").click();
  await button(page.getByRole("dialog"), "Remove").click();
  await expect(marked).toBeHidden();

  await button(page, "Add provider").click();
  await page.getByLabel("Kind").selectOption({ label: "Other" });
  await page.getByLabel("Name").fill("Workbench");
  await page.getByLabel("API key").fill("secret-canary");
  await page.getByLabel("Base URL").fill(model.baseUrl);
  await button(page, "Save and test").click();
  await expect(button(page, "Add provider")).toBeVisible();

  const card = page.getByRole("listitem").filter({ hasText: "Workbench" });
  await button(card, "Test").click();
  await expect(card.getByRole("status")).toBeVisible();
  const list = () =>
    items<{ name: string; baseUrl: string; hasKey: boolean }>(page.request, stack, "/providers");
  const stored = (await list()).find(({ name }) => name === "Workbench");
  expect(stored).toMatchObject({ baseUrl: model.baseUrl, hasKey: true });
  expect(JSON.stringify(stored)).not.toContain("secret-canary");

  await button(card, "Remove").click();
  await button(page.getByRole("dialog"), "Remove").click();
  await expect(card).toBeHidden();
  expect((await list()).map(({ name }) => name)).not.toContain("Workbench");
});

test("a price that is entered makes turns and sessions show their cost", async ({
  page,
  stack,
  model,
}) => {
  model.answer((call) => {
    call.text("Here you are.");
    call.end();
  });
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  const sessionId = await openSession(page, stack, { providerId });
  await send(page, "For free");
  await expectStatus(page, "finished");
  await expect(page.getByRole("main")).toContainText("context 15 · 15 billed");
  await expect(page.getByRole("main")).not.toContainText("$");

  const { provider } = await patch<{ provider: { name: string } }>(
    page.request,
    stack,
    `/providers/${providerId}`,
    { name: "Priced" },
  );
  await page.goto(`${stack.url}/settings/providers`);
  const card = page.getByRole("listitem").filter({ hasText: provider.name });
  await button(card, "Edit").click();
  await button(card, "Add price").click();
  await card.getByLabel("Input", { exact: true }).fill("20000");
  await card.getByLabel("Output", { exact: true }).fill("40000.5");
  await button(card, "Save").click();
  await expect(card).toContainText("has prices");
  const stored = await items<{ id: string; prices?: object[] }>(page.request, stack, "/providers");
  expect(stored.find(({ id }) => id === providerId)?.prices).toEqual([
    { input: 20_000, output: 40_000.5 },
  ]);

  await page.goto(`${stack.url}/sessions/${sessionId}`);
  await send(page, "For money");
  await expectStatus(page, "finished");
  await expect(lastTurn(page)).toContainText("$0.40");
  await expect(page.getByTitle("What this session has cost")).toContainText("$0.40");
  await send(page, "Once more");
  await expect(page.getByRole("article")).toHaveCount(3);
  await expectStatus(page, "finished");
  const sum = page.getByTitle("What this session has cost");
  await expect(sum).toContainText("$0.80");
  await page.reload();
  await expect(sum).toContainText("$0.80");
});

test("a token is shown once, works over REST, and ends when it is revoked", async ({
  page,
  stack,
  playwright,
}) => {
  await page.goto(`${stack.url}/settings/tokens`);
  await page.getByLabel("New token").fill("nightly job");
  await button(page, "Create").click();
  const token = await page.getByRole("status").locator("code").innerText();
  const request = await playwright.request.newContext({
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  });
  expect(await get(request, stack, "/me")).toMatchObject({ user: { email } });
  await page.reload();
  await expect(page.getByText(token)).toBeHidden();
  const row = page.getByRole("listitem").filter({ hasText: "nightly job" });
  await button(row, "Revoke").click();
  await expect(row).toBeHidden();
  expect((await request.get(`${stack.url}/api/v1/me`)).status()).toBe(401);
  await request.dispose();
});

test("the account's name and password are changed, and the theme stays chosen", async ({
  page: owner,
  browser,
  stack,
}) => {
  const account = { email: "ina@example.com", name: "Ina", password: "the first password" };
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await newMember(owner.request, page.request, stack, account);
  await page.goto(`${stack.url}/settings/account`);
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  await page.getByLabel("Name").fill("Ina Berg");
  await page.getByLabel("New password", { exact: true }).fill("the second password");
  await page.getByLabel("Current password").fill("not the one");
  await button(page, "Save").click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.getByLabel("Current password").fill(account.password);
  await button(page, "Save").click();
  await expect(page.getByRole("status").getByText("Saved.")).toBeVisible();
  expect(await get(page.request, stack, "/me")).toMatchObject({ user: { name: "Ina Berg" } });
  await page.reload();
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();

  const login = async (password: string) => {
    const answer = await page.request.post(`${stack.url}/api/v1/auth/login`, {
      data: { email: account.email, password },
    });
    return answer.status();
  };
  expect(await login("the second password")).toBe(200);
  expect(await login(account.password)).toBe(401);
  await context.close();
});
