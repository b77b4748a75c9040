import { join } from "node:path";
import { open } from "lmdb";

class FolderInUseError extends Error {
  constructor(folder: string, pid: number) {
    super(
      `The data folder ${folder} is in use by process ${pid}: stop that process, or give another folder.`,
    );
    this.name = "FolderInUseError";
  }
}

export interface FolderLock {
  /** What the last owner left behind, if it did not stop cleanly. */
  leftover: string | undefined;
  /** Remembered until the release, so that the next owner can clean up after a crash. */
  remember(note: string): void;
  release(): Promise<void>;
}

/**
 * Makes this process the only owner of a data folder.
 *
 * The claim is a record in a small store of its own, written under that store's write lock, so two
 * processes can't claim at once. Whether the recorded owner still lives is asked of the kernel: the
 * store's reader table is backed by file locks, which vanish with their process. So a lock left by
 * kill -9 does not block, and a reused process id does not either.
 */
export function lockFolder(folder: string): FolderLock {
  const store = open<string, string>({
    path: join(folder, "owner.mdb"),
    encoding: "string",
    overlappingSync: false,
    mapSize: 1024 * 1024,
  });
  const reader = store.useReadTransaction();
  const leftover = store.transactionSync(() => {
    store.readerCheck();
    const living = new Set(
      [...store.readerList().matchAll(/^\s*(\d+)\s/gm)].map(([, pid]) => Number(pid)),
    );
    const owner = Number(store.get("pid") ?? 0);
    if (owner !== 0 && owner !== process.pid && living.has(owner)) {
      return owner;
    }
    store.putSync("pid", String(process.pid));
    return store.get("note");
  });
  if (typeof leftover === "number") {
    reader.done();
    void store.close();
    throw new FolderInUseError(folder, leftover);
  }
  return {
    leftover: leftover === "" ? undefined : leftover,
    remember: (note) => store.putSync("note", note),
    release: async () => {
      try {
        store.putSync("note", "");
        store.putSync("pid", "0");
      } catch {
        // A full disk: the kernel tells that this process has ended, as after a crash.
      }
      reader.done();
      await store.close();
    },
  };
}
