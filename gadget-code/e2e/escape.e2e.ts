import { expect, type Page } from "@playwright/test";
import {
  button,
  expectStatus,
  lastTurn,
  message,
  openSession,
  post,
  send,
  storedTurn,
} from "./owner.ts";
import type { Stack } from "./stack.ts";
import { test } from "./stack-test.ts";

const hint = (page: Page) => page.getByRole("status").getByText("Press Esc again to abort");

async function storyRuns(page: Page, stack: Stack): Promise<string> {
  const sessionId = await openSession(page, stack);
  await send(page, "Tell me a long story");
  await expect(lastTurn(page)).toContainText("I am a script", { timeout: 20_000 });
  return sessionId;
}

test("A40 Esc in a dialog, a menu or a title closes that and never arms", async ({
  page,
  stack,
}) => {
  const sessionId = await storyRuns(page, stack);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(hint(page)).toBeHidden();

  await button(page, "Session menu").click();
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toBeHidden();
  await expect(hint(page)).toBeHidden();

  await page.getByTitle("Rename").click();
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Session title")).toBeHidden();
  await expect(hint(page)).toBeHidden();
  expect((await storedTurn(page.request, stack, sessionId)).status).toBe("processing");

  // Of an Esc that arms, nobody had taken a press before.
  await page.keyboard.press("Escape");
  await expect(hint(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expectStatus(page, "aborted");
});

test("A40 a held Esc and one inside an IME composition do not abort; three seconds disarm", async ({
  page,
  stack,
}) => {
  const sessionId = await storyRuns(page, stack);
  const keys = await page.context().newCDPSession(page);
  const escape = { key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 };
  await message(page).focus();
  await keys.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
  // What a browser reports of a key that an input method has taken.
  const taken = { key: "Process", code: "Escape", windowsVirtualKeyCode: 229 };
  for (const type of ["rawKeyDown", "keyUp", "rawKeyDown", "keyUp"] as const) {
    await keys.send("Input.dispatchKeyEvent", { type, ...taken });
  }
  for (const type of ["rawKeyDown", "keyUp", "rawKeyDown", "keyUp"] as const) {
    await keys.send("Input.dispatchKeyEvent", { type, ...escape });
    await expect(hint(page)).toBeHidden();
  }
  await keys.send("Input.imeSetComposition", { text: "", selectionStart: 0, selectionEnd: 0 });
  await message(page).fill("");

  await page.keyboard.down("Escape");
  for (let repeat = 0; repeat < 5; repeat++) {
    await page.keyboard.down("Escape");
  }
  await page.keyboard.up("Escape");
  await expect(hint(page)).toBeVisible();
  expect((await storedTurn(page.request, stack, sessionId)).status).toBe("processing");
  await expect(hint(page)).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(hint(page)).toBeVisible();
  expect((await storedTurn(page.request, stack, sessionId)).status).toBe("processing");
});

test("A41 the focus survives Send, Cancel and Send again, and a double click on Send only sends", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await message(page).fill("Tell me a long story");
  await button(page, "Send").dblclick();
  await expect(button(page, "Cancel")).toBeVisible();
  await expect(lastTurn(page)).toContainText("I am a script", { timeout: 20_000 });
  await expectStatus(page, "processing");
  // The second click went to what Send had become, and took the focus there, or came before that.
  const kept = button(page, "Cancel").or(message(page)).and(page.locator(":focus"));
  await expect(kept).toBeVisible();

  const place = await button(page, "Cancel").boundingBox();
  await message(page).pressSequentially("more");
  await expect(button(page, "Steer")).toBeVisible();
  await expect(button(page, "Queue")).toBeVisible();
  expect(await button(page, "Cancel").boundingBox()).toEqual(place);

  await button(page, "Cancel").focus();
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("status").getByText("Aborting Agentic Workflow Loop..."),
  ).toBeVisible();
  await expectStatus(page, "aborted");
  const focused = button(page, "Send").or(message(page)).and(page.locator(":focus"));
  await expect(focused).toBeVisible();
  await expect(message(page)).toHaveValue("more");
  expect((await storedTurn(page.request, stack, sessionId)).status).toBe("aborted");
});

test("A41 one click on Cancel aborts 0, 50, 200 and 400 ms after Enter", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await expect(message(page)).toBeEnabled();
  for (const ms of [0, 50, 200, 400]) {
    const turns = await page.getByRole("article").count();
    await message(page).fill("Tell me a long story");
    const place = await button(page, "Send").boundingBox();
    if (place === null) {
      throw new Error("Send is not there");
    }
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    await message(page).press("Enter");
    // What is measured here is the time between two presses.
    await page.waitForTimeout(ms);
    await page.mouse.down();
    await page.mouse.up();
    await expect(page.getByRole("article")).toHaveCount(turns + 1);
    await expectStatus(page, "aborted");
    expect((await storedTurn(page.request, stack, sessionId)).status).toBe("aborted");
  }
});

test("A41 Cancel works at once after a load and on a turn that a script started", async ({
  page,
  stack,
}) => {
  const sessionId = await openSession(page, stack);
  await expect(message(page)).toBeFocused();
  await post(page.request, stack, `/sessions/${sessionId}/turns`, {
    prompt: "Tell me a long story",
  });
  await button(page, "Cancel").click();
  await expectStatus(page, "aborted");

  await post(page.request, stack, `/sessions/${sessionId}/turns`, {
    prompt: "Tell me a long story",
  });
  await page.reload();
  await button(page, "Cancel").dblclick();
  await expectStatus(page, "aborted");
});

test.describe("with a finger", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test("A41 two quick taps on Send only send; a tap on Cancel right after a key sent cancels", async ({
    page,
    stack,
  }) => {
    const sessionId = await openSession(page, stack);
    await message(page).fill("Tell me a long story");
    const place = await button(page, "Send").boundingBox();
    if (place === null) {
      throw new Error("Send is not there");
    }
    const at = [place.x + place.width / 2, place.y + place.height / 2] as const;
    // Both are under way before the page can answer the first: as a finger does it.
    await Promise.all([page.touchscreen.tap(...at), page.touchscreen.tap(...at)]);
    await expect(lastTurn(page)).toContainText("I am a script", { timeout: 20_000 });
    expect((await storedTurn(page.request, stack, sessionId)).status).toBe("processing");
    await button(page, "Cancel").tap();
    await expectStatus(page, "aborted");
    await message(page).fill("Tell me a long story");
    await message(page).press("Control+Enter");
    await button(page, "Cancel").tap();
    await expectStatus(page, "aborted");
  });
});

test("Ctrl . aborts at once, from the middle of a sentence", async ({ page, stack }) => {
  const sessionId = await storyRuns(page, stack);
  await message(page).pressSequentially("and then");
  await page.keyboard.press("Control+.");
  await expectStatus(page, "aborted");
  await expect(message(page)).toHaveValue("and then");
  expect((await storedTurn(page.request, stack, sessionId)).status).toBe("aborted");
});
