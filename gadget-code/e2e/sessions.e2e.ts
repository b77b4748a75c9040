import { expect, type Page } from "@playwright/test";
import { button, get, items, message, openSession, patch } from "./owner.ts";
import type { Stack } from "./stack.ts";
import { test } from "./stack-test.ts";
import { violations } from "./violations.ts";

const sidebar = (page: Page) => page.getByRole("navigation", { name: "Sessions" });

async function named(page: Page, stack: Stack, title: string): Promise<string> {
  const id = await openSession(page, stack);
  await patch(page.request, stack, `/sessions/${id}`, { title });
  await expect(sidebar(page).getByRole("link", { name: title })).toBeVisible();
  return id;
}

async function choose(page: Page, title: string, verb: string): Promise<void> {
  const link = sidebar(page).getByRole("link", { name: title });
  await link.hover();
  await button(page, `Menu of ${title}`).click();
  await page.getByRole("menuitem", { name: verb }).click();
}

test("a session is renamed, archived, restored and deleted from its row, under its project", async ({
  page,
  stack,
}) => {
  const id = await named(page, stack, "Row of mine");
  await expect(sidebar(page).getByRole("heading", { name: "Sample project" })).toBeVisible();
  await page.goto(stack.url);
  await choose(page, "Row of mine", "Rename");
  const title = page.getByRole("textbox", { name: "Title" });
  await expect(title).toBeFocused();
  await page.keyboard.type("Typed over");
  await page.keyboard.press("Enter");
  await expect(sidebar(page).getByRole("link", { name: "Typed over" })).toBeVisible();

  await choose(page, "Typed over", "Archive");
  await expect(sidebar(page).getByRole("link", { name: "Typed over" })).toBeHidden();
  const listed = await items<{ id: string }>(page.request, stack, "/sessions?limit=200");
  expect(listed.map((session) => session.id)).not.toContain(id);
  const { session } = await get<{ session: { projectId: string } }>(
    page.request,
    stack,
    `/sessions/${id}`,
  );
  await page.goto(`${stack.url}/projects/${session.projectId}`);
  await page.getByText(/^Archived sessions/).click();
  const archived = page.getByRole("main").getByRole("listitem").filter({ hasText: "Typed over" });
  await archived.hover();
  await button(page, "Menu of Typed over").click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await expect(sidebar(page).getByRole("link", { name: "Typed over" })).toBeVisible();

  await choose(page, "Typed over", "Delete session");
  await button(page.getByRole("dialog"), "Delete").click();
  await expect(sidebar(page).getByRole("link", { name: "Typed over" })).toBeHidden();
});

test("renaming in the header selects the old title, so that typing replaces it", async ({
  page,
  stack,
}) => {
  await named(page, stack, "Old words");
  await button(page, "Old words").click();
  await page.keyboard.type("New words");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "New words" })).toBeVisible();
});

test("the approval mode of a project's new session is the one that was chosen last", async ({
  page,
  stack,
}) => {
  const id = await openSession(page, stack, { approval: "edits" });
  await page.getByRole("combobox", { name: "Approval mode" }).selectOption("ask");
  await message(page).fill("kept as a draft");
  await button(page, "New session in Sample project").click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(page.getByRole("combobox", { name: "Approval mode" })).toHaveValue("ask");
});
