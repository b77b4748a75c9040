import type { Socket } from "node:net";
import { CommandError } from "../bson/command-error.ts";
import { decode, docOf, encode } from "../bson/document.ts";
import { type Caller, dispatch } from "../commands/dispatch.ts";
import { helloReply } from "../commands/hello.ts";
import type { Engine } from "../engine.ts";
import { type Frame, FrameReader, msgOpCode, queryOpCode } from "./frame.ts";
import { Login } from "./login.ts";
import { decodeMessage, encodeMessage } from "./op-msg.ts";
import { decodeQuery, encodeLegacyReply } from "./op-query.ts";
import { ProtocolError } from "./protocol-error.ts";

/** How much a client may send while its last command runs. */
const readAheadBytes = 1024 * 1024;

let lastRequestId = 0;

/**
 * Serves one client: a message at a time, in order. What can't be understood ends the connection,
 * since nobody knows where the next message would begin.
 */
export function serveConnection(
  socket: Socket,
  engine: Engine,
  connectionId: number,
  secret: string | undefined,
): void {
  const login = new Login(secret);
  const reader = new FrameReader();
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, engine.stopping]);
  let serving = false;

  const write = (buffers: Buffer[]): void => {
    if (buffers.length > 1) {
      socket.cork();
    }
    for (const buffer of buffers) {
      socket.write(buffer);
    }
    if (buffers.length > 1) {
      socket.uncork();
    }
  };

  const serve = async (): Promise<void> => {
    serving = true;
    try {
      for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
        const reply = await answer(engine, frame, { connectionId, signal, login });
        if (reply !== undefined && !socket.destroyed) {
          write(reply);
        }
        if (socket.writableNeedDrain) {
          await drained(socket);
        }
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) {
        engine.report(error);
      }
      socket.destroy();
    }
    serving = false;
    if (socket.isPaused()) {
      socket.resume();
    }
  };

  socket.setNoDelay(true);
  socket.on("data", (chunk: Buffer) => {
    reader.push(chunk);
    if (!serving) {
      void serve();
    } else if (reader.buffered > readAheadBytes) {
      socket.pause();
    }
  });
  // A reset connection is the client's business; "close" follows.
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    gone.abort();
    engine.connections -= 1;
  });
  engine.connections += 1;
}

async function drained(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    socket.on("drain", done);
    socket.on("close", done);
  });
}

async function answer(engine: Engine, frame: Frame, caller: Caller): Promise<Buffer[] | undefined> {
  lastRequestId = (lastRequestId + 1) & 0x7fffffff;
  if (frame.opCode === msgOpCode) {
    const message = decodeMessage(frame);
    const reply = await dispatch(engine, message, caller);
    if (message.moreToCome) {
      return undefined;
    }
    return encodeMessage(frame.requestId, lastRequestId, reply, message.checksum);
  }
  if (frame.opCode === queryOpCode) {
    return encodeLegacyReply(frame.requestId, lastRequestId, legacyAnswer(frame, caller));
  }
  throw new ProtocolError(`unsupported opcode ${frame.opCode}`);
}

/** Only the greeting is understood in the old form. */
function legacyAnswer(frame: Frame, { connectionId }: { connectionId: number }): Uint8Array {
  const { namespace, body } = decodeQuery(frame);
  const [name = ""] = readBody(body);
  const greets = ["hello", "isMaster", "ismaster"].includes(name);
  if (greets && namespace.endsWith(".$cmd")) {
    return encode(helloReply(connectionId, name !== "hello").set("ok", 1));
  }
  return encode(
    docOf({
      errmsg: `Unsupported OP_QUERY command: ${name}. The client driver may require an upgrade.`,
      code: 352,
      codeName: "UnsupportedOpQueryCommand",
    }).set("ok", 0),
  );
}

function readBody(body: Buffer): string[] {
  try {
    return [...decode(body).keys()];
  } catch (error) {
    if (error instanceof CommandError) {
      throw new ProtocolError(error.message);
    }
    throw error;
  }
}
