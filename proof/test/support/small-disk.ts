import { execFile } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Less than the database leaves free for itself. */
const leftBytes = 512 * 1_024;

/**
 * A disk of its own for one server's data, which a test fills and empties. Whoever may not mount
 * one gets a folder, and a server that may write into no file: to it that is the same.
 */
export class SmallDisk {
  readonly folder: string;
  readonly isMounted: boolean;
  #limited: number | undefined;

  private constructor(folder: string, isMounted: boolean) {
    this.folder = folder;
    this.isMounted = isMounted;
  }

  static async make(megabytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), "gadget-disk-"));
    const options = ["-t", "tmpfs", "-o", `size=${megabytes}m`];
    const isMounted = await run("mount", [...options, "gadget-disk", folder]).then(
      () => true,
      () => false,
    );
    return new SmallDisk(folder, isMounted);
  }

  /** `pid`: the process that writes to it. */
  async fill(pid: number): Promise<void> {
    if (this.isMounted) {
      const { bavail, bsize } = await statfs(this.folder);
      await writeFile(this.#ballast, Buffer.alloc(bavail * bsize - leftBytes));
    } else {
      await run("prlimit", [`--pid=${pid}`, "--fsize=0:"]);
      this.#limited = pid;
    }
  }

  async makeRoom(): Promise<void> {
    if (this.#limited !== undefined) {
      await run("prlimit", [`--pid=${this.#limited}`, "--fsize=unlimited:"]);
    }
    await rm(this.#ballast, { force: true });
  }

  async remove(): Promise<void> {
    if (this.isMounted) {
      await run("umount", ["-l", this.folder]);
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  get #ballast(): string {
    return join(this.folder, "ballast");
  }
}
