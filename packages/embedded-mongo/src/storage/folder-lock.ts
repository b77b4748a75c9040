import { statSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { checkFile } from "./check-file.ts";

class FolderInUseError extends Error {
  constructor(folder: string, pid: number) {
    super(
      `The data folder ${folder} is in use by process ${pid}: stop that process, or give another folder.`,
    );
    this.name = "FolderInUseError";
  }
}

export interface FolderLock {
  /** What the last owner's release said of the data; undefined if it did not stop cleanly. */
  stamp: string | undefined;
  /** What the last owner left behind, if it did not stop cleanly. */
  leftover: string | undefined;
  /** Remembered until the release, so that the next owner can clean up after a crash. */
  remember(note: string): void;
  /** With a stamp of the data as they were left. */
  release(stamp?: string): Promise<void>;
}

interface Claim {
  note: string | undefined;
  stamp: string | undefined;
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
  const path = join(folder, "owner.mdb");
  checkOwner(path);
  const store = open<string, string>({
    path,
    encoding: "string",
    overlappingSync: false,
    mapSize: 1024 * 1024,
  });
  const reader = store.useReadTransaction();
  const claim = store.transactionSync((): Claim | number => {
    store.readerCheck();
    const living = new Set(
      [...store.readerList().matchAll(/^\s*(\d+)\s/gm)].map(([, pid]) => Number(pid)),
    );
    const owner = Number(store.get("pid") ?? 0);
    if (owner !== 0 && owner !== process.pid && living.has(owner)) {
      return owner;
    }
    const left = { note: store.get("note"), stamp: store.get("stamp") };
    store.putSync("pid", String(process.pid));
    store.putSync("stamp", "");
    return left;
  });
  if (typeof claim === "number") {
    reader.done();
    void store.close();
    throw new FolderInUseError(folder, claim);
  }
  return {
    stamp: claim.stamp === "" ? undefined : claim.stamp,
    leftover: claim.note === "" ? undefined : claim.note,
    remember: (note) => store.putSync("note", note),
    release: async (stamp = "") => {
      try {
        store.transactionSync(() => {
          store.putSync("note", "");
          store.putSync("stamp", stamp);
          store.putSync("pid", "0");
        });
      } catch {
        // A full disk: the kernel tells that this process has ended, as after a crash.
      }
      reader.done();
      await store.close();
    },
  };
}

/** Twice, since another process may just have written it. A new one is empty. */
function checkOwner(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) {
    return;
  }
  const remedy = "end the processes that use its folder, and remove this file: it holds no data.";
  try {
    checkFile(path, { remedy });
  } catch {
    checkFile(path, { remedy });
  }
}
