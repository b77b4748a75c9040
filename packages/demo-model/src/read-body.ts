import type { IncomingMessage } from "node:http";

const limit = 64 * 1024 * 1024;

/** The whole body, or why there is none: the client left, or sent more than 64 MB. */
export async function readBody(
  request: IncomingMessage,
): Promise<{ text: string } | "gone" | "too large"> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(piece)) {
        continue;
      }
      size += piece.length;
      if (size > limit) {
        return "too large";
      }
      pieces.push(piece);
    }
  } catch {
    return "gone";
  }
  return { text: Buffer.concat(pieces).toString("utf8") };
}
