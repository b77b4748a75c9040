import { connect, type Socket } from "node:net";
import { Binary, BSON, type Document } from "mongodb";

/** A connection without a driver, to send what no driver would. */
export class RawConnection {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #wake: () => void = () => {};
  #isLoggingIn = false;
  closed = false;

  constructor(uri: string) {
    const { host, login } = addressOf(uri);
    this.socket = host.startsWith("/")
      ? connect(host)
      : connect(Number(host.split(":")[1]), "127.0.0.1");
    this.socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    this.socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
    this.socket.on("error", () => {});
    if (login !== undefined) {
      this.#isLoggingIn = true;
      const body = { saslStart: 1, mechanism: "PLAIN", payload: login, $db: "$external" };
      this.socket.write(opMsg(0, bodySection(body)));
    }
  }

  /** The next whole message, or undefined if the server closed the connection. */
  async message(): Promise<Buffer | undefined> {
    if (this.#isLoggingIn) {
      this.#isLoggingIn = false;
      await this.message();
    }
    for (;;) {
      if (this.#received.length >= 4) {
        const length = this.#received.readInt32LE(0);
        if (this.#received.length >= length) {
          const message = this.#received.subarray(0, length);
          this.#received = this.#received.subarray(length);
          return message;
        }
      }
      if (this.closed) {
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async reply(): Promise<Document> {
    const message = await this.message();
    if (message === undefined) {
      throw new Error("the connection was closed");
    }
    return BSON.deserialize(message.subarray(21));
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Where the server listens, and what is said there to be let in. */
export function addressOf(uri: string): { host: string; login: Binary | undefined } {
  const [, name, secret, host = ""] = /^mongodb:\/\/(?:(.+):(.+)@)?([^/]+)/.exec(uri) ?? [];
  const login = name && new Binary(Buffer.from(`\0${name}\0${secret}`));
  return { host: decodeURIComponent(host), login: login || undefined };
}

export function header(length: number, opCode = 2013, requestId = 7): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeInt32LE(length, 0);
  bytes.writeInt32LE(requestId, 4);
  bytes.writeInt32LE(opCode, 12);
  return bytes;
}

/** A whole OP_MSG from its flags and sections. */
export function opMsg(flags: number, ...sections: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.alloc(4), ...sections]);
  body.writeUInt32LE(flags, 0);
  return Buffer.concat([header(16 + body.length), body]);
}

export function bodySection(document: Document): Buffer {
  return Buffer.concat([Buffer.from([0]), BSON.serialize(document)]);
}

export function sequenceSection(name: string, documents: readonly Document[]): Buffer {
  const rest = Buffer.concat([
    Buffer.from(`${name}\0`),
    ...documents.map((document) => BSON.serialize(document)),
  ]);
  const size = Buffer.alloc(4);
  size.writeInt32LE(rest.length + 4, 0);
  return Buffer.concat([Buffer.from([1]), size, rest]);
}
