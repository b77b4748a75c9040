import { expect, it } from "vitest";
import { Slots } from "./slots.ts";

const idle = new AbortController().signal;

it("gives a slot that came free to whoever asks next", async () => {
  const slots = new Slots(1);
  for (let round = 0; round < 3; round++) {
    expect(await slots.take(idle, 0)).toBe("taken");
    expect(await slots.take(idle, 0)).toBe("none_free");
    slots.release();
  }
});

it("serves those who wait in their order, and keeps no slot for one who has left", async () => {
  const slots = new Slots(1);
  await slots.take(idle, 0);
  const leaving = new AbortController();
  const left = slots.take(leaving.signal, 60_000);
  const order: string[] = [];
  const first = slots.take(idle, 60_000).then((how) => order.push(`first ${how}`));
  const second = slots.take(idle, 60_000).then((how) => order.push(`second ${how}`));
  leaving.abort();
  expect(await left).toBe("aborted");
  slots.release();
  await first;
  slots.release();
  await second;
  expect(order).toEqual(["first taken", "second taken"]);
});

it("A23 does not wait at all with a signal that has fired", async () => {
  expect(await new Slots(1).take(AbortSignal.abort(), 60_000)).toBe("aborted");
});
