import { documentEnd, type Frame, headerBytes, replyOpCode } from "./frame.ts";
import { ProtocolError } from "./protocol-error.ts";

export interface LegacyQuery {
  namespace: string;
  body: Buffer;
}

/** OP_QUERY is what drivers greet with before they know that OP_MSG is understood. */
export function decodeQuery({ bytes }: Frame): LegacyQuery {
  const start = headerBytes + 4;
  const nul = bytes.indexOf(0, start);
  if (nul === -1) {
    throw new ProtocolError("an OP_QUERY without a namespace");
  }
  const offset = nul + 9;
  const end = documentEnd(bytes, offset, bytes.length);
  return { namespace: bytes.toString("utf8", start, nul), body: bytes.subarray(offset, end) };
}

export function encodeLegacyReply(
  responseTo: number,
  requestId: number,
  body: Uint8Array,
): Buffer[] {
  const head = Buffer.alloc(headerBytes + 20);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(replyOpCode, 12);
  head.writeInt32LE(8, headerBytes);
  head.writeInt32LE(1, headerBytes + 16);
  return [head, Buffer.from(body.buffer, body.byteOffset, body.length)];
}
