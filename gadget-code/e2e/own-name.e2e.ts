import { once } from "node:events";
import { createServer } from "node:http";
import { expect } from "@playwright/test";
import { button, email, password } from "./owner.ts";
import { test } from "./stack-test.ts";

test.use({ storageState: { cookies: [], origins: [] } });

// Browsers know every name under localhost, also where the machine itself does not.
test("the page works under its own name, and its cookie is not sent to other ports of 127.0.0.1", async ({
  page,
  stack,
}) => {
  const heard: string[] = [];
  const other = createServer((req, res) => {
    heard.push(req.headers.cookie ?? "");
    res.end("<!doctype html><title>A development server</title>");
  });
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = typeof address === "object" ? address?.port : undefined;
  try {
    const { port: own } = new URL(stack.url);
    await page.goto(`http://gadget.localhost:${own}/drones`);
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await button(page, "Sign in").click();
    await expect(page).toHaveURL(`http://gadget.localhost:${own}/drones`);
    // The socket is let in, too: what is live is there.
    await expect(page.getByRole("main").getByRole("link").first()).toContainText("online");
    const cookies = await page.context().cookies(`http://gadget.localhost:${own}/`);
    expect(cookies.map(({ name, domain }) => [name, domain])).toContainEqual([
      "gadget_session",
      "gadget.localhost",
    ]);
    for (const host of ["127.0.0.1", "localhost"]) {
      await page.goto(`http://${host}:${port}/`);
    }
    expect(heard.length).toBeGreaterThanOrEqual(2);
    expect(heard.join(" ")).not.toContain("gadget_");
  } finally {
    other.close();
  }
});

test("no text becomes markup or code, and no foreign script a worker", async ({ page, stack }) => {
  await page.goto(`${stack.url}/login`);
  await expect(page.getByRole("heading").first()).toBeVisible();
  const tries = [
    `document.body.innerHTML = "<b>text</b>"`,
    `document.body.insertAdjacentHTML("beforeend", "<b>text</b>")`,
    `new DOMParser().parseFromString("<b>text</b>", "text/html")`,
    `document.createElement("script").text = "window.hacked = 1"`,
    `document.createElement("script").src = "https://evil.example/x.js"`,
    `new Worker("https://evil.example/x.js")`,
    `window.trustedTypes.createPolicy("mine", { createHTML: (text) => text })`,
  ];
  for (const attempt of tries) {
    const refusal = await page.evaluate(`(() => {
      try { ${attempt}; return "taken"; } catch (error) { return error.name; }
    })()`);
    expect(refusal, attempt).toBe("TypeError");
  }
});
