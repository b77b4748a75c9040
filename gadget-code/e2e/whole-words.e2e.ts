import { expect, type Page } from "@playwright/test";
import { expectStatus, items, message, openSession, patch, post, send } from "./owner.ts";
import { test } from "./stack-test.ts";

const long = "a-name-so-long-that-no-column-of-the-page-can-show-all-of-it-"
  .repeat(2)
  .slice(0, 100);

/** What ends in an ellipsis, and tells nobody who points at it how it goes on. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("body *")]
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .filter((element) => getComputedStyle(element).textOverflow === "ellipsis")
    .filter((element) => element.tagName !== "SELECT" && element.closest("[title]") === null)
    .map((element) => element.textContent)`);

test("what is cut off can be read whole, on every page with long names", async ({
  page,
  stack,
}) => {
  await page.setViewportSize({ width: 1400, height: 900 });
  const [drone] = await items<{ id: string; name: string }>(page.request, stack, "/drones");
  const drones = `/drones/${drone?.id}`;
  await patch(page.request, stack, drones, { name: long });
  try {
    const { project } = await post<{ project: { id: string } }>(page.request, stack, "/projects", {
      name: long,
    });
    const { session } = await post<{ session: { id: string } }>(
      page.request,
      stack,
      `/projects/${project.id}/sessions`,
      { title: long, approval: "auto" },
    );
    const ways = ["/", "/drones", drones, `/projects/${project.id}`, "/settings/providers"];
    for (const way of [...ways, "/settings/tokens", "/admin"]) {
      await page.goto(stack.url + way);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.getByRole("list", { name: "Drones" })).toContainText(long);
      expect(await cutOff(page), way).toEqual([]);
    }
    await page.goto(`${stack.url}/sessions/${session.id}`);
    await expect(message(page)).toBeVisible();
    await page.keyboard.press("Control+j");
    await send(page, "Explore this project, fast");
    await expectStatus(page, "finished");
    await expect(page.getByRole("main")).toContainText(long);
    expect(await cutOff(page), "a session").toEqual([]);
  } finally {
    await patch(page.request, stack, drones, { name: drone?.name });
  }
});

test("beside the inspector a header has room for names that are short", async ({ page, stack }) => {
  await page.setViewportSize({ width: 1340, height: 900 });
  await openSession(page, stack);
  await send(page, "hello, fast");
  await expectStatus(page, "finished");
  await page.keyboard.press("Control+j");
  await expect(page.getByRole("complementary", { name: "Inspector" })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("project's own folder");
  const cut = page.evaluate(`[...document.querySelectorAll("main header *")]
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .filter((element) => getComputedStyle(element).textOverflow === "ellipsis")
    .map((element) => element.textContent)`);
  expect(await cut).toEqual([]);
});
