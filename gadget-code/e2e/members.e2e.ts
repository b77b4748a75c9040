import { expect } from "@playwright/test";
import { button, expectStatus, items, openSession, send } from "./owner.ts";
import { test } from "./stack-test.ts";

test("an invitation is accepted in another browser, and a member sees only what is theirs", async ({
  page,
  browser,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await send(page, "hello owner, fast");
  await expectStatus(page, "finished");
  await page.goto(`${stack.url}/admin`);
  await page.getByLabel("Invite").fill("mia@example.com");
  await button(page, "Create invite link").click();
  const link = await page.getByRole("status").locator("code").innerText();

  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const member = await context.newPage();
  const invitation = page.getByRole("listitem").filter({ hasText: "mia@example.com" });
  await expect(invitation).toContainText("The link works until");
  await member.goto(link);
  await expect(member.getByRole("main")).toContainText("mia@example.com");
  await member.getByLabel("Name").fill("Mia");
  await member.getByLabel("Password").fill("a member's password");
  await button(member, "Create account").click();
  await expect(member.getByRole("heading", { name: "Choose a model" })).toBeVisible();
  await member.goto(stack.url);
  await expect(member.getByText("No projects yet.")).toBeVisible();
  // Somebody without a drone is told what to do.
  await button(member, "New project").first().click();
  await expect(member.getByRole("dialog")).toContainText("You have no drone. Ask ");
  await button(member.getByRole("dialog"), "Add a drone").click();
  await expect(member.getByRole("dialog").last()).toContainText("GADGET_PUBLIC_URL");
  await member.reload();
  await expect(member.getByText("hello owner, fast")).toBeHidden();
  await expect(member.getByRole("link", { name: "Members" })).toBeHidden();
  for (const path of ["/sessions", "/projects", "/drones", "/turns"]) {
    expect(await items(member.request, stack, path), path).toEqual([]);
  }
  await member.goto(`${stack.url}/sessions/${sessionId}`);
  await expect(member.getByText("This session can't be opened")).toBeVisible();
  expect((await member.request.get(`${stack.url}/api/v1/members`)).status()).toBe(403);

  // The link works once.
  const late = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const third = await late.newPage();
  await third.goto(link);
  await expect(third.getByRole("alert")).toContainText("was used, revoked, or is too old");
  await expect(third.getByLabel("Password")).toBeHidden();

  // An invitation that nobody has used can be taken back.
  await page.getByLabel("Invite").fill("max@example.com");
  await button(page, "Create invite link").click();
  const open = page.getByRole("listitem").filter({ hasText: "max@example.com" });
  await button(open, "Revoke").click();
  await expect(open).toBeHidden();

  await page.reload();
  const row = page.getByRole("listitem").filter({ hasText: "mia@example.com" });
  await button(row, "Remove").click();
  await button(page.getByRole("dialog"), "Remove").click();
  await expect(row).toBeHidden();
  expect((await member.request.get(`${stack.url}/api/v1/me`)).status()).toBe(401);
  const members = await items<{ email: string }>(page.request, stack, "/members");
  expect(members.map((each) => each.email)).not.toContain("mia@example.com");
  await Promise.all([context.close(), late.close()]);
});
