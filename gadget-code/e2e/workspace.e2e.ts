import { execFileSync } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import {
  button,
  emptyProject,
  expectStatus,
  openSession,
  post,
  scriptedProvider,
  send,
} from "./owner.ts";
import type { Stack } from "./stack.ts";
import { test } from "./stack-test.ts";
import { violations } from "./violations.ts";

async function repository(page: Page, stack: Stack) {
  const directory = await mkdtemp(join(stack.roots, "repository-"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
      cwd: directory,
    });
  git("init", "-q", "-b", "main");
  await writeFile(join(directory, "tea.txt"), "black\ngreen\n");
  git("add", ".");
  git("commit", "-qm", "First");
  const body = { name: "Tea", directory };
  const { project } = await post<{ project: { id: string } }>(
    page.request,
    stack,
    "/projects",
    body,
  );
  return { directory, projectId: project.id };
}

test("the header shows folder and branch, and Review all changes since the last commit", async ({
  page,
  stack,
  model,
}) => {
  const { directory, projectId } = await repository(page, stack);
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  await openSession(page, stack, { projectId, providerId });
  const header = page.getByRole("main").locator("header");
  await expect(header).toContainText("Branch: main");
  await expect(header).toContainText(`Workspace: ${directory.split("/").at(-1)}`);
  await expect(header).toContainText("Tea");
  await expect(header).toContainText(/online|busy/);

  await page.keyboard.press("Control+j");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByText("Workspace", { exact: true }).click();
  await expect(inspector).toContainText("Nothing differs from the last commit.");

  await writeFile(join(directory, "by-hand.txt"), "mint\n");
  model.answerWithTools([
    "shell",
    { command: "git checkout -q -b spring && printf 'black\\nwhite\\n' > tea.txt" },
  ]);
  await send(page, "Choose another tea");
  await expectStatus(page, "finished");
  await expect(header).toContainText("Branch: spring");
  await expect(inspector).toContainText("2 files changed · +2 −1");
  await expect(inspector).toContainText("by-hand.txt");
  await expect(inspector.getByText("+mint")).toBeVisible();
  await expect(inspector.getByText("-green")).toBeVisible();
  await expect(inspector.getByText("+white")).toBeVisible();

  expect(await violations(page)).toEqual([]);

  await writeFile(join(directory, "by-hand.txt"), "lemon\n");
  await button(inspector, "Compare again").click();
  await expect(inspector.getByText("+lemon")).toBeVisible();
});

test("without a repository there is no branch, and Review says why it shows nothing", async ({
  page,
  stack,
}) => {
  const projectId = await emptyProject(page.request, stack);
  await openSession(page, stack, { projectId });
  await send(page, "Write a file, fast");
  await expectStatus(page, "finished");
  const header = page.getByRole("main").locator("header");
  await expect(header).toContainText("Workspace: project's own folder");
  await expect(header).not.toContainText("Branch");
  await page.keyboard.press("Control+j");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toContainText("notes/hello.md");
  await inspector.getByText("Workspace", { exact: true }).click();
  await expect(inspector).toContainText("This folder is not a git repository");
});
