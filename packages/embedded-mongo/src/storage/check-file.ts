import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** How long pages are read; of the rest only the numbers are checked. */
const READ_FOR_MS = 2_000;

const MAGIC = 0xbeefc0de;
const HEADER = 24;
const META_BYTES = HEADER + 136;
const TABLE_BYTES = 48;
const NO_PAGE = 2 ** 64;
const BRANCH = 0x01;
const LEAF = 0x02;
const META = 0x08;
const IN_OVERFLOW = 0x01;
const IS_TABLE = 0x02;

interface Table {
  depth: number;
  entries: number;
  root: number;
}

/**
 * Reads the file's pages as lmdb would. lmdb trusts them: damaged ones end the process without a
 * word, or give fewer documents than there are.
 */
export function checkFile(path: string): void {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return;
    }
    throw error;
  }
  try {
    new FileCheck(file, path).run();
  } finally {
    closeSync(file);
  }
}

class FileCheck {
  readonly #file: number;
  readonly #path: string;
  readonly #size: number;
  readonly #until = performance.now() + READ_FOR_MS;
  #pageBytes = 0;
  #pages = 0;

  constructor(file: number, path: string) {
    this.#file = file;
    this.#path = path;
    this.#size = fstatSync(file).size;
  }

  run(): void {
    if (this.#size === 0) {
      throw this.#damaged("it is empty");
    }
    this.#pageBytes = this.#meta(0).readUInt32LE(HEADER + 24);
    if (this.#pageBytes < 512 || this.#pageBytes > 65_536) {
      throw this.#damaged("its head");
    }
    const metas = [this.#meta(0), this.#meta(this.#pageBytes)];
    metas.sort((a, b) => number64(b, HEADER + 128) - number64(a, HEADER + 128));
    const [meta] = metas;
    if (meta === undefined) {
      return;
    }
    this.#walk(tableAt(meta, HEADER + 24));
    this.#walk(tableAt(meta, HEADER + 24 + TABLE_BYTES));
  }

  #meta(at: number): Buffer {
    const meta = Buffer.alloc(META_BYTES);
    const read = readSync(this.#file, meta, 0, META_BYTES, at);
    const isMeta = (meta.readUInt16LE(18) & META) !== 0 && meta.readUInt32LE(HEADER) === MAGIC;
    if (read < META_BYTES || !isMeta) {
      throw this.#damaged("its head");
    }
    return meta;
  }

  #walk({ root, depth, entries }: Table): void {
    if (root === NO_PAGE) {
      return;
    }
    const found = this.#subtree(root, depth);
    if (found !== undefined && found !== entries) {
      throw this.#damaged(`${found} of ${entries} entries at page ${root}`);
    }
  }

  /** How many entries are below a page; undefined where not all was read. */
  #subtree(number: number, levels: number): number | undefined {
    this.#pages += 1;
    this.#inFile(number, this.#pageBytes);
    if (this.#pages * this.#pageBytes > this.#size) {
      throw this.#damaged(`page ${number}`);
    }
    if (levels === 1 && performance.now() > this.#until) {
      return undefined;
    }
    const page = Buffer.allocUnsafe(this.#pageBytes);
    readSync(this.#file, page, 0, this.#pageBytes, number * this.#pageBytes);
    const nodes = this.#nodes(page, number, levels === 1 ? LEAF : BRANCH);
    if (levels === 1) {
      for (const at of nodes) {
        this.#leafNode(page, number, at);
      }
      return nodes.length;
    }
    let found: number | undefined = 0;
    for (const at of nodes) {
      const child = page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32;
      const below = this.#subtree(child, levels - 1);
      found = found === undefined || below === undefined ? undefined : found + below;
    }
    return found;
  }

  /** Where the nodes of a page begin. */
  #nodes(page: Buffer, number: number, kind: number): number[] {
    const lower = page.readUInt16LE(20);
    const upper = page.readUInt16LE(22);
    const room = this.#pageBytes - HEADER;
    const isWhole =
      number64(page, 0) === number &&
      (page.readUInt16LE(18) & (BRANCH | LEAF)) === kind &&
      lower > 0 &&
      lower <= upper &&
      upper <= room;
    if (!isWhole) {
      throw this.#damaged(`page ${number}`);
    }
    const nodes: number[] = [];
    for (let at = 0; at < lower; at += 2) {
      const node = page.readUInt16LE(HEADER + at);
      if (node < upper || node + 8 > room) {
        throw this.#damaged(`page ${number}`);
      }
      nodes.push(HEADER + node);
    }
    return nodes;
  }

  #leafNode(page: Buffer, number: number, at: number): void {
    const flags = page.readUInt16LE(at + 4);
    const bytes = page.readUInt32LE(at);
    const data = at + 8 + page.readUInt16LE(at + 6);
    const isBig = (flags & IN_OVERFLOW) !== 0;
    if (data + (isBig ? 8 : bytes) > this.#pageBytes) {
      throw this.#damaged(`page ${number}`);
    }
    if (isBig) {
      this.#inFile(number64(page, data), HEADER + bytes);
    } else if ((flags & IS_TABLE) !== 0 && bytes >= TABLE_BYTES) {
      this.#walk(tableAt(page, data));
    }
  }

  #inFile(page: number, bytes: number): void {
    if (page < 2 || page * this.#pageBytes + bytes > this.#size) {
      throw this.#damaged(`page ${page}`);
    }
  }

  #damaged(where: string): Error {
    return new Error(
      `The database file ${this.#path} is damaged (${where}): put a copy of it in its place, or move it away to begin with an empty database. Nothing was changed.`,
    );
  }
}

function tableAt(bytes: Buffer, at: number): Table {
  return {
    depth: bytes.readUInt16LE(at + 6),
    entries: number64(bytes, at + 32),
    root: number64(bytes, at + 40),
  };
}

function number64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}
