import { readWhole } from "./files.ts";

const lineFeed = 10;

/**
 * These lines of a file, counted from 1 and in order; undefined for one that is not there (any
 * more), and for all of a file that can't be read.
 */
export async function readLines(
  workspace: string,
  path: string,
  numbers: readonly number[],
  limitBytes: number,
): Promise<(string | undefined)[]> {
  const file = await readWhole(workspace, path, limitBytes).catch(() => undefined);
  if (file === undefined) {
    return numbers.map(() => undefined);
  }
  const bytes = inUtf8(file.bytes);
  let at = 0;
  let line = 1;
  return numbers.map((number) => {
    for (; line < number && at < bytes.length; at++) {
      line += bytes[at] === lineFeed ? 1 : 0;
    }
    if (line < number) {
      return undefined;
    }
    const end = bytes.indexOf(lineFeed, at);
    return bytes.toString("utf8", at, end < 0 ? bytes.length : end).replace(/\r$/, "");
  });
}

/** A search sees through the encoding of a file that begins with a mark of it. */
function inUtf8(bytes: Buffer): Buffer {
  const mark = bytes.subarray(0, 2).toString("hex");
  const encoding = { fffe: "utf-16le", feff: "utf-16be" }[mark];
  return encoding === undefined ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}
