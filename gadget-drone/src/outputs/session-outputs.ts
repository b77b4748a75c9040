import { constants } from "node:fs";
import { mkdir, open, readdir, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { KeptOutput, mostOutputBytes, type OutputFile } from "../process/kept-output.ts";
import { readWhole } from "../workspace/files.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const mostSessionBytes = 50 * 1024 * 1024;

/** The kept outputs of one session: one file each, and the oldest make room for new ones. */
export class SessionOutputs implements OutputFile {
  readonly #folder: string;
  /** How many bytes each has, the oldest first; undefined until the folder was looked at. */
  #files: Map<string, number> | undefined;
  #isClosed = false;
  /** One at a time, so that what is counted is what is there. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  open(): KeptOutput {
    return new KeptOutput(this);
  }

  /** Undefined: there is none of this name (any more). */
  async read(id: string): Promise<Buffer | undefined> {
    if (!/^[0-9a-f]{12}$/.test(id)) {
      return undefined;
    }
    const folder = await realpath(this.#folder).catch(() => undefined);
    if (folder === undefined) {
      return undefined;
    }
    return (await readWhole(folder, id, mostOutputBytes))?.bytes;
  }

  append(id: string, text: string, isFirst: boolean): Promise<boolean> {
    return this.#next(async () => {
      const files = await this.#look();
      if (this.#isClosed || (!isFirst && !files.has(id))) {
        return false;
      }
      const bytes = Buffer.from(text);
      files.set(id, (files.get(id) ?? 0) + bytes.length);
      try {
        await this.#makeRoom(files);
        await this.#write(id, bytes, isFirst);
        return true;
      } catch {
        await this.#remove(files, id);
        return false;
      }
    }).catch(() => false);
  }

  remove(id: string): Promise<void> {
    return this.#next(async () => this.#remove(await this.#look(), id)).catch(() => {});
  }

  /** Nothing is written any more when this resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue;
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  async #look(): Promise<Map<string, number>> {
    if (this.#files === undefined) {
      const found = await Promise.all(
        (await readdir(this.#folder).catch(() => [])).map(async (name) => {
          const { size, mtimeMs } = await stat(join(this.#folder, name));
          return { name, size, mtimeMs };
        }),
      );
      found.sort((a, b) => a.mtimeMs - b.mtimeMs);
      this.#files = new Map(found.map(({ name, size }) => [name, size]));
    }
    return this.#files;
  }

  async #makeRoom(files: Map<string, number>): Promise<void> {
    let bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
    for (const [name, size] of files) {
      if (bytes <= mostSessionBytes) {
        return;
      }
      bytes -= size;
      await this.#remove(files, name);
    }
  }

  async #write(id: string, bytes: Buffer, isFirst: boolean): Promise<void> {
    if (isFirst) {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    }
    const making = isFirst ? O_CREAT | O_EXCL : 0;
    const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | making;
    const file = await open(join(this.#folder, id), flags, 0o600);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
  }

  async #remove(files: Map<string, number>, id: string): Promise<void> {
    files.delete(id);
    await rm(join(this.#folder, id), { force: true }).catch(() => {});
  }
}
