import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import mongoose from "mongoose";

const writes = new Set(["insert", "update", "delete", "findAndModify"]);
const opMsg = 2013;
/** Header, flags and the kind of the section: then comes the body. */
const bodyStart = 21;

/** A command as it is on its way: its name is its first key. */
export type Command = Record<string, unknown>;

export interface Failure {
  code: number;
  errmsg: string;
}

/** A way to a MongoDB server on which writes need as long as the test says, fail, or hang. */
export class SlowDatabase {
  /** Writes that were held up. */
  held = 0;
  /** What the server answers to a command instead of doing it. */
  fails: (command: Command) => Failure | undefined = () => undefined;
  /** Which writes get no answer until it wakes; everything else goes on beside them. */
  keeps: (command: Command) => boolean = () => false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #targetPort: number;
  #writeMs = 0;
  readonly #heldUp = new Set<() => void>();
  readonly #kept = new Set<() => void>();
  #silence: { over: Promise<void>; end: () => void } | undefined;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((near) => this.#join(near));
  }

  /** `uri`: of the server itself. */
  static async start(uri: string): Promise<SlowDatabase> {
    const database = new SlowDatabase(Number(new URL(uri).port));
    database.#server.listen(0, "127.0.0.1");
    await once(database.#server, "listening");
    return database;
  }

  get uri(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `mongodb://127.0.0.1:${port}/gadget?directConnection=true`;
  }

  /** How long each write takes that begins from now on; 0: also those that are held up go on. */
  get writeMs(): number {
    return this.#writeMs;
  }

  set writeMs(ms: number) {
    this.#writeMs = ms;
    if (ms === 0) {
      for (const goOn of this.#heldUp) {
        goOn();
      }
    }
  }

  /** From now on it answers nothing at all, and nobody is told. */
  hang(): void {
    if (this.#silence !== undefined) {
      return;
    }
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#silence = { over, end };
  }

  /** It does what it was asked for meanwhile, and answers. */
  wake(): void {
    this.#silence?.end();
    this.#silence = undefined;
    this.keeps = () => false;
    for (const goOn of this.#kept) {
      goOn();
    }
    this.#kept.clear();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(near: Socket): void {
    const far = connect(this.#targetPort, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    far.on("data", (data) => near.write(data));
    let bytes = Buffer.alloc(0);
    // One connection's messages stay in their order.
    let before = Promise.resolve();
    near.on("data", (data) => {
      bytes = Buffer.concat([bytes, data]);
      while (bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0)) {
        const message = bytes.subarray(0, bytes.readInt32LE(0));
        bytes = bytes.subarray(message.length);
        before = before.then(() => this.#pass(message, near, far));
      }
    });
  }

  async #pass(message: Buffer, near: Socket, far: Socket): Promise<void> {
    await this.#silence?.over;
    const isWrite = writes.has(commandOf(message));
    if (isWrite && this.keeps(bodyOf(message))) {
      this.held += 1;
      await new Promise<void>((resolve) => this.#kept.add(resolve));
    }
    const failure = isWrite ? this.fails(bodyOf(message)) : undefined;
    if (failure !== undefined) {
      near.write(refusalOf(message, failure));
      return;
    }
    if (this.writeMs > 0 && isWrite) {
      this.held += 1;
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          clearTimeout(timer);
          this.#heldUp.delete(goOn);
          resolve();
        };
        const timer = setTimeout(goOn, this.writeMs).unref();
        this.#heldUp.add(goOn);
      });
    }
    far.write(message);
  }
}

/** The command's name is the first key of the message's body. */
function commandOf(message: Buffer): string {
  if (message.readInt32LE(12) !== opMsg || message[20] !== 0) {
    return "";
  }
  const start = bodyStart + 5;
  return message.toString("latin1", start, message.indexOf(0, start));
}

function bodyOf(message: Buffer): Command {
  const end = bodyStart + message.readInt32LE(bodyStart);
  return mongoose.mongo.BSON.deserialize(message.subarray(bodyStart, end));
}

function refusalOf(message: Buffer, { code, errmsg }: Failure): Buffer {
  const body = mongoose.mongo.BSON.serialize({ ok: 0, code, errmsg });
  const head = Buffer.alloc(bodyStart);
  head.writeInt32LE(bodyStart + body.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(opMsg, 12);
  return Buffer.concat([head, body]);
}
