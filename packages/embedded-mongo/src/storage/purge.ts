import { prefixRange } from "./record-key.ts";
import type { Store } from "./store.ts";

const batchLimit = 2_000;
const purgePrefix = Buffer.from("purge ");

/** Removes what dropped collections and indexes left, a batch at a time, until nothing is left. */
export async function purge(store: Store, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) {
      return;
    }
    await store.ready();
    const done = await store.write(() => purgeBatch(store));
    if (done) {
      return;
    }
  }
}

function purgeBatch(store: Store): boolean {
  const [note] = store.meta.getKeys({ ...prefixRange(purgePrefix), limit: 1 });
  if (!Buffer.isBuffer(note)) {
    return true;
  }
  const table = note.toString("latin1").startsWith("purge docs") ? store.docs : store.entries;
  const keys = [...table.getKeys({ ...prefixRange(note.subarray(-4)), limit: batchLimit })];
  for (const key of keys) {
    table.removeSync(key);
  }
  if (keys.length < batchLimit) {
    store.meta.removeSync(note);
  }
  return false;
}
