/** {cursor: {<batch>: [docs], id, ns}, ok: 1} around documents that are BSON already. */
export function encodeCursorReply(
  batchName: "firstBatch" | "nextBatch",
  namespace: string,
  cursorId: bigint,
  documents: readonly Uint8Array[],
): Buffer {
  const ns = Buffer.from(namespace);
  let arrayBytes = 5;
  for (let i = 0; i < documents.length; i += 1) {
    arrayBytes += 2 + digits(i) + (documents[i]?.length ?? 0);
  }
  const cursorBytes = 4 + (2 + batchName.length) + arrayBytes + 12 + (8 + ns.length + 1) + 1;
  const total = 4 + 8 + cursorBytes + 12 + 1;
  const out = Buffer.allocUnsafe(total);
  let at = out.writeInt32LE(total, 0);
  at = name(out, at, 0x03, "cursor");
  at = out.writeInt32LE(cursorBytes, at);
  at = name(out, at, 0x04, batchName);
  at = out.writeInt32LE(arrayBytes, at);
  for (let i = 0; i < documents.length; i += 1) {
    at = name(out, at, 0x03, String(i));
    const document = documents[i];
    if (document === undefined) {
      continue;
    }
    out.set(document, at);
    at += document.length;
  }
  at = out.writeUInt8(0, at);
  at = name(out, at, 0x12, "id");
  at = out.writeBigInt64LE(BigInt.asIntN(64, cursorId), at);
  at = name(out, at, 0x02, "ns");
  at = out.writeInt32LE(ns.length + 1, at);
  out.set(ns, at);
  at = out.writeUInt8(0, at + ns.length);
  at = out.writeUInt8(0, at);
  at = name(out, at, 0x01, "ok");
  at = out.writeDoubleLE(1, at);
  out.writeUInt8(0, at);
  return out;
}

/** Names are short: byte by byte is faster than a call into the engine's string writer. */
function name(out: Buffer, at: number, type: number, text: string): number {
  out[at] = type;
  let next = at + 1;
  for (let i = 0; i < text.length; i += 1) {
    out[next] = text.charCodeAt(i);
    next += 1;
  }
  out[next] = 0;
  return next + 1;
}

function digits(index: number): number {
  let count = 1;
  for (let rest = index; rest >= 10; rest = Math.floor(rest / 10)) {
    count += 1;
  }
  return count;
}
