import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const magic = 0xbeefc0de;
const pageHeader = 24;
const metaBytes = pageHeader + 136;
const tableBytes = 48;
const overflowReferenceBytes = 24;
const noPage = 2 ** 64;
const branchPage = 0x01;
const leafPage = 0x02;
const overflowPage = 0x04;
const metaPage = 0x08;
const overflowFlag = 0x01;
const tableFlag = 0x02;

interface Table {
  depth: number;
  entries: number;
  root: number;
}

/** How the keys of a tree are ordered. */
type Order = (a: Buffer, b: Buffer) => number;

const byBytes: Order = (a, b) => Buffer.compare(a, b);
const byNumber: Order = (a, b) => number64(a, 0) - number64(b, 0);

interface CheckOptions {
  /** Stops there, and trusts the rest. */
  limitMs?: number;
  /** What to do about a damaged file. */
  remedy?: string;
}

const ofTheData =
  "put a copy of it in its place, or move it away to begin with an empty database. Nothing was changed.";

/**
 * Reads all pages that lmdb would read, and compares them with each other. lmdb trusts them:
 * damaged ones end the process without a word, or give fewer documents than there are.
 */
export function checkFile(path: string, options: CheckOptions = {}): void {
  try {
    const file = openSync(path, "r");
    try {
      new FileCheck(file, path, options).run();
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") {
      return;
    }
    throw typeof code === "string" ? new Error(unreadable(path, code), { cause: error }) : error;
  }
}

function unreadable(path: string, code: string): string {
  if (code === "EISDIR") {
    return `${path} is a folder, where the database has a file: move it away, or give another folder for the data.`;
  }
  const reason = code === "EACCES" || code === "EPERM" ? "there is no permission" : code;
  return `The database file ${path} can't be read (${reason}): mend that, or give another folder for the data.`;
}

class FileCheck {
  readonly #file: number;
  readonly #path: string;
  readonly #size: number;
  readonly #until: number;
  readonly #remedy: string;
  #pageBytes = 0;
  #lastPage = 0;
  /** A bit a page: whether something points to it. */
  #used = new Uint8Array(0);
  #isStopped = false;

  constructor(
    file: number,
    path: string,
    { limitMs = Number.POSITIVE_INFINITY, remedy = ofTheData }: CheckOptions,
  ) {
    this.#file = file;
    this.#path = path;
    this.#size = fstatSync(file).size;
    this.#until = performance.now() + limitMs;
    this.#remedy = remedy;
  }

  run(): void {
    if (this.#size === 0) {
      throw this.#damaged("it is empty");
    }
    this.#pageBytes = this.#meta(0).readUInt32LE(pageHeader + 24);
    if (this.#pageBytes < 512 || this.#pageBytes > 65_536) {
      throw this.#damaged("its head");
    }
    this.#used = new Uint8Array(Math.ceil(this.#size / this.#pageBytes / 8));
    const metas = [this.#meta(0), this.#meta(this.#pageBytes)];
    metas.sort((a, b) => number64(b, pageHeader + 128) - number64(a, pageHeader + 128));
    const [meta] = metas;
    if (meta === undefined) {
      return;
    }
    this.#lastPage = number64(meta, pageHeader + 120);
    const free: number[] = [];
    this.#walk(tableAt(meta, pageHeader + 24), byNumber, (value) => this.#noteFree(value, free));
    this.#walk(tableAt(meta, pageHeader + 24 + tableBytes), byBytes);
    const reused = free.find((page) => this.#isUsed(page));
    if (reused !== undefined) {
      throw this.#damaged(`page ${reused} of its free pages`);
    }
  }

  #meta(at: number): Buffer {
    const meta = this.#read(at, metaBytes);
    const isMeta =
      (meta.readUInt16LE(18) & metaPage) !== 0 && meta.readUInt32LE(pageHeader) === magic;
    if (!isMeta) {
      throw this.#damaged("its head");
    }
    return meta;
  }

  #walk({ root, depth, entries }: Table, order: Order, onValue?: (value: Buffer) => void): void {
    if (root === noPage) {
      if (entries !== 0) {
        throw this.#damaged(`0 of ${entries} entries`);
      }
      return;
    }
    let found = 0;
    let last: Buffer | undefined;
    const ascends = (number: number, key: Buffer, orEqual: boolean): void => {
      const compared = last === undefined ? 1 : order(key, last);
      if (compared < 0 || (compared === 0 && !orEqual)) {
        throw this.#damaged(`page ${number}`);
      }
      last = key;
    };
    // A branch's key is at most its child's first one, and more than all before it.
    let isAfterBranch = false;
    const visit = (number: number, levels: number): void => {
      if (levels === 1 && performance.now() > this.#until) {
        this.#isStopped = true;
      }
      if (this.#isStopped) {
        return;
      }
      this.#use(number, 1);
      const page = this.#read(number * this.#pageBytes, this.#pageBytes);
      const nodes = this.#nodes(page, number, levels === 1 ? leafPage : branchPage);
      for (const [i, at] of nodes.entries()) {
        const key = page.subarray(at + 8, at + 8 + page.readUInt16LE(at + 6));
        if (levels > 1) {
          if (i > 0) {
            ascends(number, key, false);
            isAfterBranch = true;
          }
          const child = page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32;
          visit(child, levels - 1);
        } else {
          found += 1;
          ascends(number, key, isAfterBranch);
          isAfterBranch = false;
          this.#leafNode(page, number, at, onValue);
        }
      }
    };
    visit(root, depth);
    if (!this.#isStopped && found !== entries) {
      throw this.#damaged(`${found} of ${entries} entries at page ${root}`);
    }
  }

  /** Where the nodes of a page begin. */
  #nodes(page: Buffer, number: number, kind: number): number[] {
    const lower = page.readUInt16LE(20);
    const upper = page.readUInt16LE(22);
    const room = this.#pageBytes - pageHeader;
    const isWhole =
      number64(page, 0) === number &&
      (page.readUInt16LE(18) & (branchPage | leafPage)) === kind &&
      lower > 0 &&
      lower % 2 === 0 &&
      lower <= upper &&
      upper <= room;
    if (!isWhole) {
      throw this.#damaged(`page ${number}`);
    }
    const nodes: number[] = [];
    for (let at = 0; at < lower; at += 2) {
      const node = page.readUInt16LE(pageHeader + at);
      const keyEnd = node + 8 + (node + 8 <= room ? page.readUInt16LE(pageHeader + node + 6) : 0);
      if (node < upper || keyEnd > room) {
        throw this.#damaged(`page ${number}`);
      }
      nodes.push(pageHeader + node);
    }
    return nodes;
  }

  #leafNode(
    page: Buffer,
    number: number,
    at: number,
    onValue: ((value: Buffer) => void) | undefined,
  ): void {
    const flags = page.readUInt16LE(at + 4);
    const bytes = page.readUInt32LE(at);
    const data = at + 8 + page.readUInt16LE(at + 6);
    const isBig = (flags & overflowFlag) !== 0;
    if (data + (isBig ? overflowReferenceBytes : bytes) > this.#pageBytes) {
      throw this.#damaged(`page ${number}`);
    }
    if (isBig) {
      const first = this.#overflow(number64(page, data), bytes);
      onValue?.(this.#read(first * this.#pageBytes + pageHeader, bytes));
    } else if ((flags & tableFlag) !== 0) {
      if (bytes < tableBytes) {
        throw this.#damaged(`page ${number}`);
      }
      this.#walk(tableAt(page, data), byBytes);
    } else {
      onValue?.(page.subarray(data, data + bytes));
    }
  }

  /** The first of the pages that hold a large value. */
  #overflow(first: number, bytes: number): number {
    const pages = Math.floor((pageHeader - 1 + bytes) / this.#pageBytes) + 1;
    this.#use(first, pages);
    const head = this.#read(first * this.#pageBytes, pageHeader);
    const isWhole =
      number64(head, 0) === first &&
      (head.readUInt16LE(18) & overflowPage) !== 0 &&
      head.readUInt32LE(20) === pages;
    if (!isWhole) {
      throw this.#damaged(`page ${first}`);
    }
    return first;
  }

  /** A list of pages that may be written over: its length, then pages, or a length below 0 and a page. */
  #noteFree(value: Buffer, free: number[]): void {
    const items = value.length >= 8 ? number64(value, 0) : Number.NaN;
    if (!(items * 8 + 8 <= value.length)) {
      throw this.#damaged("its list of free pages");
    }
    let run = 1;
    for (let i = 1; i <= items; i += 1) {
      const item = Number(value.readBigInt64LE(i * 8));
      if (item < 0) {
        run = -item;
        continue;
      }
      if (item > 0) {
        this.#inFile(item, run);
        for (let offset = 0; offset < run; offset += 1) {
          free.push(item + offset);
        }
      }
      run = 1;
    }
  }

  #read(at: number, bytes: number): Buffer {
    const read = Buffer.allocUnsafe(bytes);
    if (readSync(this.#file, read, 0, bytes, at) < bytes) {
      throw this.#damaged("it is cut off");
    }
    return read;
  }

  /** Each page belongs to one place, inside of the file. */
  #use(first: number, pages: number): void {
    this.#inFile(first, pages);
    if ((first + pages) * this.#pageBytes > this.#size) {
      throw this.#damaged(`page ${first}`);
    }
    for (let page = first; page < first + pages; page += 1) {
      if (this.#isUsed(page)) {
        throw this.#damaged(`page ${page}`);
      }
      this.#used[page >> 3] = (this.#used[page >> 3] ?? 0) | (1 << (page & 7));
    }
  }

  #inFile(first: number, pages: number): void {
    if (first < 2 || first + pages - 1 > this.#lastPage) {
      throw this.#damaged(`page ${first}`);
    }
  }

  #isUsed(page: number): boolean {
    return ((this.#used[page >> 3] ?? 0) & (1 << (page & 7))) !== 0;
  }

  #damaged(where: string): Error {
    return new Error(`The database file ${this.#path} is damaged (${where}): ${this.#remedy}`);
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
