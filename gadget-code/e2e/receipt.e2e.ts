import { expect } from "@playwright/test";
import {
  button,
  cancel,
  expectStatus,
  lastTurn,
  openSession,
  scriptedProvider,
  send,
  storedTurn,
} from "./owner.ts";
import { test } from "./stack-test.ts";

test("A42 the receipt counts processes and files, offers the undo, and survives a reload", async ({
  page,
  stack,
  model,
}) => {
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  const sessionId = await openSession(page, stack, { providerId });
  model.answer((call) => {
    if (call.toolResults.length === 0) {
      call.tool("write_file", { path: "receipt-a.txt", content: "a\n" });
    } else if (call.toolResults.length === 1) {
      call.tool("write_file", { path: "receipt-b.txt", content: "b\n" });
    } else {
      call.tool("shell", { command: "echo begun; sleep 300 & sleep 300" });
    }
    call.end();
  });
  await send(page, "Change two files, then wait");
  await expect(lastTurn(page)).toContainText("begun", { timeout: 30_000 });
  await cancel(page);
  await expect(
    page.getByRole("status").getByText("Aborting Agentic Workflow Loop..."),
  ).toBeVisible();
  await expectStatus(page, "aborted");
  const receipt =
    /Stopped in .+ · \d+ processes ended, 0 left\s*· 2 files changed\s*·\s*Undo changes/;
  await expect(lastTurn(page)).toContainText("The turn was aborted by you.");
  await expect(lastTurn(page)).toContainText(receipt);
  await expect(lastTurn(page)).not.toContainText("failed");
  await page.reload();
  await expect(lastTurn(page)).toContainText(receipt);
  const { stopped, filesChanged } = await storedTurn(page.request, stack, sessionId);
  expect(stopped?.left).toBe(0);
  expect(stopped?.processes).toBeGreaterThanOrEqual(2);
  expect(filesChanged).toHaveLength(2);

  await button(lastTurn(page), "Undo changes").click();
  await button(page.getByRole("dialog"), "Undo").click();
  await expect(page.getByRole("dialog")).toBeHidden();
  const file = `${stack.url}/api/v1/sessions/${sessionId}/files?path=receipt-a.txt`;
  expect((await page.request.get(file)).status()).toBe(404);
});
