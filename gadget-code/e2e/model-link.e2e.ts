import { EventEmitter, once } from "node:events";
import { expect } from "@playwright/test";
import {
  expectStatus,
  items,
  lastTurn,
  openSession,
  scriptedProvider,
  send,
  storedTurn,
} from "./owner.ts";
import { test } from "./stack-test.ts";

interface StoredEvent {
  type: string;
  code?: string;
}

test("a silent model is told of after two seconds, in every tab, and is no part of the log", async ({
  page,
  context,
  stack,
  model,
}) => {
  const pen = new EventEmitter();
  model.answer(async (call) => {
    await once(pen, "speak");
    call.text("Here I am.");
    await once(pen, "end");
    call.end();
  });
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  const sessionId = await openSession(page, stack, { providerId });
  await send(page, "Think about it");
  const waiting = lastTurn(page).getByText(/Waiting for the model… \d+ s/);
  await expect(waiting).toBeVisible();

  const other = await context.newPage();
  await other.goto(`${stack.url}/sessions/${sessionId}`);
  await expect(lastTurn(other)).toContainText("Waiting for the model…");

  pen.emit("speak");
  await expect(lastTurn(page)).toContainText("Here I am.");
  await expect(waiting).toBeVisible();
  pen.emit("end");
  await expectStatus(page, "finished");
  await expect(waiting).toBeHidden();
  const { id } = await storedTurn(page.request, stack, sessionId);
  const silences = async () => {
    const events = await items<StoredEvent>(page.request, stack, `/turns/${id}/events`);
    return events.filter(({ code }) => code === "model");
  };
  await expect.poll(silences).toEqual([]);
});

test("A13 Esc Esc while the model is silent aborts at once and closes its connection", async ({
  page,
  stack,
  model,
}) => {
  model.answer((call) => call.begin());
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  await openSession(page, stack, { providerId });
  await send(page, "Think for ever");
  await expect(lastTurn(page)).toContainText("Waiting for the model…");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expectStatus(page, "aborted");
  await expect(lastTurn(page)).not.toContainText("Waiting for the model");
  expect(model.calls.at(-1)?.isClosed).toBe(true);
});

test("A13 a busy model is counted down, and Esc Esc ends the back-off at once", async ({
  page,
  stack,
  model,
}) => {
  model.answer((call) => call.refuse(429, { "retry-after": "60" }));
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  const sessionId = await openSession(page, stack, { providerId });
  await send(page, "Hurry");
  await expect(lastTurn(page)).toContainText(/Rate-limited \(429\); trying again in \d+ s/);
  const calls = model.calls.length;
  await page.reload();
  await expect(lastTurn(page)).toContainText(/Rate-limited \(429\); trying again in \d+ s/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expectStatus(page, "aborted");
  await expect(lastTurn(page)).toContainText("The turn was aborted by you.");
  const { status, stopped } = await storedTurn(page.request, stack, sessionId);
  expect(status).toBe("aborted");
  // A minute was asked for: an abort that waited for any part of it would be far slower.
  expect(stopped?.afterMs).toBeLessThan(5_000);
  expect(model.calls.length).toBe(calls);
});

test("a busy model is asked again, and the answer follows", async ({ page, stack, model }) => {
  let asked = 0;
  model.answer((call) => {
    asked += 1;
    if (asked === 1) {
      return call.refuse(503, { "retry-after": "3" });
    }
    call.text("Now then.");
    return call.end();
  });
  const providerId = await scriptedProvider(page.request, stack, model.baseUrl);
  await openSession(page, stack, { providerId });
  await send(page, "Please");
  await expect(lastTurn(page)).toContainText(/The model is busy \(503\); trying again in \d s/);
  await expectStatus(page, "finished");
  await expect(lastTurn(page)).toContainText("Now then.");
  await expect(lastTurn(page)).toContainText(/The model was busy \(503\)\. Tried again after/);
});
