import { SlowGitServer } from "@gadget/testing/slow-git-server";
import { expect, type Page } from "@playwright/test";
import { button, message } from "./owner.ts";
import { test } from "./stack-test.ts";
import { violations } from "./violations.ts";

let repository: SlowGitServer;
test.beforeAll(async () => {
  repository = await SlowGitServer.start();
});
test.afterAll(() => repository.stop());

const clone = (page: Page) => page.getByRole("region", { name: "Clone" });

async function newGitProject(page: Page, url: string, gitUrl: string): Promise<void> {
  await page.goto(url);
  await button(page, "New project").click();
  const dialog = page.getByRole("dialog", { name: "New project" });
  await dialog.getByText("Git", { exact: false }).first().click();
  await dialog.getByLabel("Git address").fill(gitUrl);
  await button(dialog, "Create project").click();
}

test("a git project is cloned when it is made, with progress and Cancel, and @ works before a first turn", async ({
  page,
  stack,
}) => {
  repository.bytesPerSecond = 40_000;
  await newGitProject(page, stack.url, repository.url);
  await expect(clone(page)).toContainText("Receiving objects", { timeout: 20_000 });
  await expect(page.getByRole("progressbar")).toHaveAttribute("value", /\d+/);
  expect(await violations(page)).toEqual([]);
  await button(page, "Cancel clone").click();
  await expect(clone(page)).toContainText("not on the drone yet");
  repository.bytesPerSecond = Number.POSITIVE_INFINITY;
  await button(clone(page), "Clone").click();
  await expect(clone(page)).toBeHidden({ timeout: 20_000 });
  await button(page, "New session").last().click();
  await message(page).fill("@src/he");
  await expect(page.getByRole("option", { name: "src/hello.txt" })).toBeVisible();
});

test("an address that leads nowhere is told at once, and can be mended", async ({
  page,
  stack,
}) => {
  repository.bytesPerSecond = Number.POSITIVE_INFINITY;
  await newGitProject(page, stack.url, "https://no-such-host.invalid/x.git");
  await expect(clone(page).getByRole("alert")).toContainText("could not be cloned", {
    timeout: 20_000,
  });
  expect(await violations(page)).toEqual([]);
  await clone(page).getByLabel("Git address").fill(repository.url);
  await button(clone(page), "Try again").click();
  await expect(clone(page)).toBeHidden({ timeout: 20_000 });
  await expect(page.getByRole("main")).toContainText(repository.url);
});
