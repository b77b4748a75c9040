import { setTimeout as delay } from "node:timers/promises";
import type { ModelCall } from "@gadget/testing/scripted-model";

/** Numbered words, so that a lost, doubled or swapped one can be told. */
export class Story {
  /** What was written so far. */
  sent = "";
  #count = 0;

  /** Words until the connection closes or `until` holds; then the answer ends. */
  async tell(call: ModelCall, everyMs: number, until: () => boolean): Promise<void> {
    while (!call.isClosed && !until()) {
      this.#count += 1;
      const word = `w${this.#count} `;
      call.text(word);
      this.sent += word;
      await delay(everyMs);
    }
    if (!call.isClosed) {
      call.end();
    }
  }
}
