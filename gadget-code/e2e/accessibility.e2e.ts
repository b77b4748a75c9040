import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { openSession, send, startOwnedStack } from "./owner.ts";
import type { Stack } from "./stack.ts";

let stack: Stack;
test.beforeAll(async () => {
  stack = await startOwnedStack();
});
test.afterAll(() => stack.stop());

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page, ${colorScheme}`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    for (const path of ["/login", "/setup#code=0123456789"]) {
      await page.goto(`${stack.url}${path}`);
      await expect(page.getByRole("button").first()).toBeVisible();
      expect(await violations(page), path).toEqual([]);
    }
    const sessionId = await openSession(page, stack);
    await send(page, "hello, fast");
    await expect(page.getByRole("article")).toHaveAttribute("data-status", "finished");
    const routes = ["/", `/sessions/${sessionId}`, "/drones", "/settings", "/admin", "/nowhere"];
    for (const path of routes) {
      await page.goto(`${stack.url}${path}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      expect(await violations(page), path).toEqual([]);
    }
    await context.close();
  });
}
