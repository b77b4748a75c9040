import { expect } from "@playwright/test";
import { button, cancel, expectStatus, items, openSession, post, send } from "./owner.ts";
import { test } from "./stack-test.ts";
import { violations } from "./violations.ts";

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page, ${colorScheme}`, async ({
    browser,
    ownerState,
    stack,
    request,
  }) => {
    const outside = await browser.newContext({
      colorScheme,
      storageState: { cookies: [], origins: [] },
    });
    const gate = await outside.newPage();
    const asked = { email: "axe@example.com" };
    const made = await post<{ invitation: { url: string } }>(
      request,
      stack,
      "/members/invitations",
      asked,
    );
    const invitation = `/invitation${new URL(made.invitation.url).hash}`;
    for (const path of ["/login", "/setup#code=0123456789", invitation]) {
      await gate.goto(`${stack.url}${path}`);
      await expect(gate.getByRole("button").first()).toBeVisible();
      expect(await violations(gate), path).toEqual([]);
    }
    await gate.goto(`${stack.url}/login`);
    await gate.goto(`${stack.url}/invitation#code=0123456789`);
    await expect(gate.getByRole("link", { name: "Sign in" })).toBeVisible();
    expect(await violations(gate), "an invitation that is dead").toEqual([]);
    await outside.close();

    const context = await browser.newContext({ colorScheme, storageState: ownerState });
    const page = await context.newPage();
    const sessionId = await openSession(page, stack, { approval: "edits" });
    await send(page, "Write a file, fast");
    await expectStatus(page, "finished");
    await page.keyboard.press("Control+j");
    await expect(page.getByRole("combobox", { name: "Turn" })).toBeVisible();
    expect(await violations(page), "a finished turn and the inspector").toEqual([]);
    await send(page, "Run a long-running command, fast");
    await expect(button(page, "Allow once")).toBeVisible({ timeout: 20_000 });
    expect(await violations(page), "an open approval").toEqual([]);
    await cancel(page);
    await expectStatus(page, "aborted");
    expect(await violations(page), "an aborted turn").toEqual([]);

    const [drone] = await items<{ id: string }>(page.request, stack, "/drones");
    const [project] = await items<{ id: string }>(page.request, stack, "/projects");
    const routes = [
      "/",
      "/welcome",
      `/sessions/${sessionId}`,
      `/projects/${project?.id}`,
      "/drones",
      `/drones/${drone?.id}`,
      "/settings/account",
      "/settings/providers",
      "/settings/tokens",
      "/admin",
      "/nowhere",
    ];
    for (const path of routes) {
      await page.goto(`${stack.url}${path}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      expect(await violations(page), path).toEqual([]);
    }
    await context.close();
  });
}
