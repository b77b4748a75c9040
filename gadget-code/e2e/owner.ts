import type { APIRequestContext, Page } from "@playwright/test";
import { type Stack, startStack } from "./stack.ts";

const email = "owner@example.com";
const password = "a long enough password";

export interface StoredTurn {
  id: string;
  status: string;
  prompt: string;
  stopped?: { processes: number; left: number };
}

/** A stack whose owner was created by the environment, as scripts do it. */
export function startOwnedStack(): Promise<Stack> {
  return startStack({ GADGET_OWNER_EMAIL: email, GADGET_OWNER_PASSWORD: password });
}

/** Signs the page in and opens a new session of the sample project. */
export async function openSession(
  page: Page,
  { url }: Stack,
  approval: "auto" | "edits" = "auto",
): Promise<string> {
  const { request } = page;
  await request.post(`${url}/api/v1/auth/login`, { data: { email, password } });
  const { items } = await json<{ items: { id: string }[] }>(request, `${url}/api/v1/projects`);
  const made = await request.post(`${url}/api/v1/projects/${items[0]?.id}/sessions`, {
    data: { approval },
    headers: { origin: url },
  });
  const { session } = (await made.json()) as { session: { id: string } };
  await page.goto(`${url}/sessions/${session.id}`);
  return session.id;
}

export async function send(page: Page, prompt: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(prompt);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

export async function json<Body>(request: APIRequestContext, url: string): Promise<Body> {
  return (await (await request.get(url)).json()) as Body;
}

export async function latestTurn(request: APIRequestContext, { url }: Stack): Promise<StoredTurn> {
  const { items } = await json<{ items: StoredTurn[] }>(request, `${url}/api/v1/turns?limit=1`);
  const [turn] = items;
  if (turn === undefined) throw new Error("no turn is stored");
  return turn;
}
