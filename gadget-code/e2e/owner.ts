import { type APIRequestContext, expect, type Locator, type Page } from "@playwright/test";
import { type Stack, startStack } from "./stack.ts";

export const email = "owner@example.com";
export const password = "a long enough password";

export interface StoredTurn {
  id: string;
  sessionId: string;
  status: string;
  prompt: string;
  waitingFor?: string;
  continues?: string;
  filesChanged: { path: string }[];
  stopped?: { afterMs: number; processes: number; left: number };
}

export interface SessionChoices {
  approval?: "auto" | "edits";
  providerId?: string;
  projectId?: string;
}

/** A stack whose owner was created by the environment, as scripts do it. */
export function startOwnedStack(env: Record<string, string> = {}): Promise<Stack> {
  return startStack({ GADGET_OWNER_EMAIL: email, GADGET_OWNER_PASSWORD: password, ...env });
}

export async function signIn(request: APIRequestContext, { url }: Stack): Promise<void> {
  const answer = await request.post(`${url}/api/v1/auth/login`, { data: { email, password } });
  if (!answer.ok()) {
    throw new Error(`not signed in: ${await answer.text()}`);
  }
}

/** A member, invited and signed in over REST. */
export async function newMember(
  owner: APIRequestContext,
  member: APIRequestContext,
  stack: Stack,
  account: { email: string; name: string; password: string },
): Promise<void> {
  const { invitation } = await post<{ invitation: { url: string } }>(
    owner,
    stack,
    "/members/invitations",
    { email: account.email },
  );
  const code = new URL(invitation.url).hash.replace("#code=", "");
  const { name, password: secret } = account;
  await post(member, stack, "/auth/accept", { code, name, password: secret });
}

/** Reads over REST, as the person whose cookie the request has. */
export async function get<Body>(
  request: APIRequestContext,
  { url }: Stack,
  path: string,
): Promise<Body> {
  const answer = await request.get(`${url}/api/v1${path}`);
  if (!answer.ok()) {
    throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  }
  return (await answer.json()) as Body;
}

export async function items<Item>(
  request: APIRequestContext,
  stack: Stack,
  path: string,
): Promise<Item[]> {
  return (await get<{ items: Item[] }>(request, stack, path)).items;
}

export async function post<Body>(
  request: APIRequestContext,
  { url }: Stack,
  path: string,
  data: object = {},
): Promise<Body> {
  const answer = await request.post(`${url}/api/v1${path}`, { data, headers: { origin: url } });
  if (!answer.ok()) {
    throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  }
  return (await answer.json()) as Body;
}

export async function patch<Body>(
  request: APIRequestContext,
  { url }: Stack,
  path: string,
  data: object,
): Promise<Body> {
  const answer = await request.patch(`${url}/api/v1${path}`, { data, headers: { origin: url } });
  if (!answer.ok()) {
    throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  }
  return (await answer.json()) as Body;
}

/** Opens a new session for the page: of the sample project, with the demo, unless it is told. */
export async function openSession(
  page: Page,
  stack: Stack,
  { approval = "auto", providerId, projectId }: SessionChoices = {},
): Promise<string> {
  const { request } = page;
  const project = projectId ?? (await sampleProject(request, stack));
  const { session } = await post<{ session: { id: string } }>(
    request,
    stack,
    `/projects/${project}/sessions`,
    {
      approval,
      providerId: providerId ?? (await demoProvider(request, stack)),
      model: providerId === undefined ? "demo" : "scripted",
    },
  );
  await page.goto(`${stack.url}/sessions/${session.id}`);
  return session.id;
}

async function sampleProject(request: APIRequestContext, stack: Stack): Promise<string> {
  const projects = await items<{ id: string; source: { kind: string } }>(
    request,
    stack,
    "/projects",
  );
  const sample = projects.find(({ source }) => source.kind === "sample");
  if (sample === undefined) {
    throw new Error("there is no sample project");
  }
  return sample.id;
}

/** An empty project: what a turn writes there, no other test has written. */
export async function emptyProject(request: APIRequestContext, stack: Stack): Promise<string> {
  const { project } = await post<{ project: { id: string } }>(request, stack, "/projects", {
    name: "Empty",
  });
  return project.id;
}

async function demoProvider(request: APIRequestContext, stack: Stack): Promise<string> {
  const providers = await items<{ id: string; kind: string }>(request, stack, "/providers");
  const demo = providers.find(({ kind }) => kind === "demo");
  if (demo === undefined) {
    throw new Error("there is no demo provider");
  }
  return demo.id;
}

/** A provider that leads to the test's own model. */
export async function scriptedProvider(
  request: APIRequestContext,
  stack: Stack,
  baseUrl: string,
): Promise<string> {
  const { provider } = await post<{ provider: { id: string } }>(request, stack, "/providers", {
    name: "Scripted",
    kind: "openai",
    baseUrl,
    apiKey: "a-key",
    defaultModel: "scripted",
  });
  return provider.id;
}

export const message = (page: Page): Locator => page.getByRole("textbox", { name: "Message" });
export const button = (page: Page | Locator, name: string): Locator =>
  page.getByRole("button", { name, exact: true });
export const lastTurn = (page: Page): Locator => page.getByRole("article").last();

export async function send(page: Page, prompt: string): Promise<void> {
  await message(page).fill(prompt);
  await message(page).press("Enter");
}

/** One click, which counts whenever it comes (A41). */
export async function cancel(page: Page): Promise<void> {
  await button(page, "Cancel").click();
}

export async function expectStatus(page: Page, status: string): Promise<void> {
  await expect(lastTurn(page)).toHaveAttribute("data-status", status, { timeout: 30_000 });
}

/** The newest turn of a session, as it is stored. */
export async function storedTurn(
  request: APIRequestContext,
  stack: Stack,
  sessionId: string,
): Promise<StoredTurn> {
  const [turn] = await items<StoredTurn>(request, stack, `/sessions/${sessionId}/turns?limit=1`);
  if (turn === undefined) {
    throw new Error("no turn is stored");
  }
  return turn;
}

export async function cancelAll(request: APIRequestContext, stack: Stack): Promise<void> {
  for (const status of ["processing", "queued"]) {
    for (const { id } of await items<StoredTurn>(request, stack, `/turns?status=${status}`)) {
      await request.post(`${stack.url}/api/v1/turns/${id}/cancel`, {
        headers: { origin: stack.url },
      });
    }
  }
  const running = () => items<StoredTurn>(request, stack, "/turns?status=aborting");
  await expect.poll(async () => (await running()).length, { timeout: 30_000 }).toBe(0);
}
