import { expect } from "@playwright/test";
import { button, get, items, message, openSession, post } from "./owner.ts";
import { test } from "./stack-test.ts";

test("a project's settings are kept, its sessions listed and begun, and it can be removed", async ({
  page,
  stack,
}) => {
  const { project } = await post<{ project: { id: string } }>(page.request, stack, "/projects", {
    name: "Before",
  });
  const path = `/projects/${project.id}`;
  await page.goto(stack.url + path);
  await expect(page.getByText("No sessions yet.")).toBeVisible();
  await page.getByLabel("Name", { exact: true }).fill("After");
  await page.getByLabel("Pass these variables to commands").fill("CI, NODE_ENV");
  await button(page, "Save").click();
  await expect(page.getByRole("heading", { level: 1, name: "After" })).toBeVisible();
  expect(await get(page.request, stack, path)).toMatchObject({
    project: { name: "After", environment: ["CI", "NODE_ENV"] },
  });

  await button(page, "New session").click();
  await expect(message(page)).toBeFocused();
  const sessions = await items<{ id: string; title: string }>(
    page.request,
    stack,
    `${path}/sessions`,
  );
  expect(page.url()).toBe(`${stack.url}/sessions/${sessions[0]?.id}`);
  await page.goto(stack.url + path);
  await expect(
    page.getByRole("main").getByRole("link", { name: sessions[0]?.title ?? "" }),
  ).toBeVisible();

  await button(page, "Remove project").click();
  await button(page.getByRole("dialog"), "Remove project").click();
  await expect(page).toHaveURL(`${stack.url}/`);
  expect((await page.request.get(`${stack.url}/api/v1${path}`)).status()).toBe(404);
});

test("a session is renamed in place and deleted from its menu", async ({ page, stack }) => {
  const sessionId = await openSession(page, stack);
  const path = `/sessions/${sessionId}`;
  await page.getByTitle("Rename").click();
  await page.getByLabel("Session title").fill("Quarterly numbers");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Quarterly numbers");
  await expect
    .poll(() => get(page.request, stack, path))
    .toMatchObject({ session: { title: "Quarterly numbers" } });
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Quarterly numbers");

  await button(page, "Session menu").click();
  await page.getByRole("menuitem", { name: "Delete session" }).click();
  await button(page.getByRole("dialog"), "Delete").click();
  await expect(page).toHaveURL(`${stack.url}/`);
  expect((await page.request.get(`${stack.url}/api/v1${path}`)).status()).toBe(404);
});
