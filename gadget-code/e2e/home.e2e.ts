import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { button, cancel, expectStatus, get, items, message, openSession, send } from "./owner.ts";
import type { Stack } from "./stack.ts";
import { test } from "./stack-test.ts";

interface StoredProject {
  id: string;
  name: string;
  source: { kind: string };
  directory?: string;
}

async function newProject(page: Page, { url }: Stack, source: string): Promise<void> {
  await page.goto(url);
  await button(page, "New project").click();
  await page.getByRole("radio", { name: source }).check({ force: true });
}

async function created(page: Page, stack: Stack): Promise<StoredProject> {
  await button(page, "Create project").click();
  await expect(button(page, "Remove project")).toBeVisible();
  const id = new URL(page.url()).pathname.split("/").at(-1);
  return (await get<{ project: StoredProject }>(page.request, stack, `/projects/${id}`)).project;
}

/** The files of the workspace, as the drone reads them: it is made with the first turn. */
async function filesOfNewSession(page: Page, stack: Stack): Promise<string[]> {
  await button(page, "New session").click();
  await expect(message(page)).toBeFocused();
  await page.getByLabel("Provider").selectOption({ label: "Demo (scripted)" });
  await expect(page.getByLabel("Model")).toHaveValue("demo");
  await send(page, "hello, fast");
  await expectStatus(page, "finished");
  const sessionId = new URL(page.url()).pathname.split("/").at(-1);
  const folder = await get<{ entries: { name: string }[] }>(
    page.request,
    stack,
    `/sessions/${sessionId}/files`,
  );
  return folder.entries.map(({ name }) => name);
}

test("a new project of an existing folder, by the picker", async ({ page, stack }) => {
  await mkdir(join(stack.roots, "work/app"), { recursive: true });
  await writeFile(join(stack.roots, "work/app/hello.txt"), "hello\n");
  await newProject(page, stack, "Existing folder");
  const dialog = page.getByRole("dialog");
  await expect(button(dialog, "Create project")).toBeDisabled();
  const roots = button(dialog, stack.roots);
  const work = button(dialog, "work");
  await expect(roots.or(work)).toBeVisible();
  if (await roots.isVisible()) {
    await roots.click();
  }
  await work.click();
  await button(dialog, "app").click();
  const project = await created(page, stack);
  expect(project).toMatchObject({ name: "app", source: { kind: "directory" } });
  expect(project.directory).toContain("work/app");
  expect(await filesOfNewSession(page, stack)).toContain("hello.txt");
});

test("a new project of a git URL is cloned, and one that is empty has a folder of its own", async ({
  page,
  stack,
}) => {
  const folder = join(stack.dataDir, "remote");
  const repository = await serveRepository(folder);
  try {
    await newProject(page, stack, "Git repository");
    await page
      .getByRole("textbox", { name: "Git address" })
      .fill(`${repository.url}/team/tools.git`);
    expect(await created(page, stack)).toMatchObject({ name: "tools", source: { kind: "git" } });
    expect(await filesOfNewSession(page, stack)).toContain("cloned.txt");
  } finally {
    repository.server.close();
  }

  await newProject(page, stack, "Empty folder");
  await page.getByLabel("Name").fill("Scratch");
  expect(await created(page, stack)).toMatchObject({ name: "Scratch", source: { kind: "empty" } });
  expect(await filesOfNewSession(page, stack)).toEqual([]);
});

/** A repository over plain HTTP, as a file server offers it. */
async function serveRepository(folder: string): Promise<{ url: string; server: Server }> {
  const work = join(folder, "work");
  await mkdir(work, { recursive: true });
  await writeFile(join(work, "cloned.txt"), "cloned\n");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: work,
      stdio: "ignore",
    });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "Begin");
  git("clone", "--quiet", "--bare", ".", "../team/tools.git");
  git("--git-dir=../team/tools.git", "update-server-info");
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    readFile(join(folder, pathname)).then(
      (body) => response.writeHead(200).end(body),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

test("Needs you, Running and Recent show where each session stands", async ({
  page,
  context,
  stack,
}) => {
  await openSession(page, stack);
  const home = await context.newPage();
  await home.goto(stack.url);
  const section = (title: string) =>
    home
      .locator("section")
      .filter({ has: home.getByRole("heading", { name: title, exact: true }) });

  await send(page, "Tell me a long story, number one");
  await expect(section("Running").getByText("Tell me a long story, number one")).toBeVisible();
  await cancel(page);
  await expect(section("Recent").getByText("Tell me a long story, number one")).toBeVisible();

  const sessionId = await openSession(page, stack);
  await send(page, "Ask me a question, number two, fast");
  await expect(section("Needs you").getByText("Ask me a question, number two, fast")).toBeVisible();
  const sessions = await items<{ id: string; lastTurn: { waitingFor: string } }>(
    page.request,
    stack,
    "/sessions",
  );
  expect(sessions.find(({ id }) => id === sessionId)?.lastTurn.waitingFor).toBe("question");
  await section("Needs you").getByText("Ask me a question, number two, fast").click();
  await expect(home.getByRole("region", { name: "Question" })).toBeVisible();
});
