import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** What went wrong below the API: an HTTP status that is no success, or the connection. */
export type ExchangeFault =
  | { type: "status"; status: number; headers: IncomingHttpHeaders; body: string }
  | { type: "connection"; code: string; message: string; answering: boolean };

export interface ExchangeOptions {
  baseUrl: string;
  signal: AbortSignal;
  agent: HttpAgent;
  /** Exactly these are sent, and with a body its type. */
  headers: Record<string, string>;
  connectTimeoutMs: number;
  idleTimeoutMs: number;
}

const longestErrorBody = 64 * 1024;
const drainMs = 2_000;

/** One agent a provider: connections are kept for the next step of an order, never for another's. */
export function createAgent(baseUrl: string): HttpAgent {
  const options = { keepAlive: true, timeout: 5_000 };
  return baseUrl.startsWith("https:") ? new HttpsAgent(options) : new HttpAgent(options);
}

/**
 * One HTTP request whose socket is destroyed when the signal fires, at every moment of its life.
 * Global fetch is not used: it leaves a listener on the signal for each request until a garbage
 * collection, and gives up on a model that is silent for 5 minutes.
 */
export class Exchange {
  fault: ExchangeFault | undefined;
  readonly #options: ExchangeOptions;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  /** What its connection had read before this request. */
  #readBefore = 0;
  #ended = false;
  #released = false;
  #broken: Error | undefined;
  /** Why we closed it ourselves; the errors that follow only say that it is closed. */
  #cause: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    if (!/^https?:\/\//i.test(options.baseUrl) || !URL.canParse(options.baseUrl)) {
      const message = "not an http(s) address";
      this.fault = { type: "connection", code: "ERR_INVALID_URL", message, answering: false };
    }
  }

  get contentType(): string {
    return this.#response?.headers["content-type"] ?? "";
  }

  get status(): number {
    return this.#response?.statusCode ?? 0;
  }

  /** Resolves when the headers of a success are in; else throws, and `fault` says why. */
  post(path: string, body: object): Promise<void> {
    return this.send("POST", `${this.#options.baseUrl}${path}`, JSON.stringify(body));
  }

  get(path: string): Promise<void> {
    return this.send("GET", `${this.#options.baseUrl}${path}`);
  }

  async send(method: string, url: string, body?: string): Promise<void> {
    if (this.fault) {
      throw new Error(this.fault.type);
    }
    try {
      const response = await this.#sendOverKept(new URL(url), method, body);
      this.#response = response;
      response.setEncoding("utf8");
      this.#listen(response);
      const { status } = this;
      if (status < 200 || status > 299) {
        const text = await this.#readStart(longestErrorBody);
        this.fault = { type: "status", status, headers: response.headers, body: text };
        throw new Error(`HTTP ${status}`);
      }
    } catch (error) {
      this.fault ??= this.#connectionFault(error);
      this.close();
      throw error;
    }
  }

  /** The whole body. Throws when it was cut off. */
  async text(): Promise<string> {
    let text = "";
    for (let piece = await this.read(); piece !== undefined; piece = await this.read()) {
      text += piece;
    }
    return text;
  }

  /** The next piece of the body as text, or undefined at its end. Throws when it was cut off. */
  async read(): Promise<string | undefined> {
    const response = this.#response;
    if (!response) {
      throw new Error("The request was not sent");
    }
    for (;;) {
      const chunk: unknown = response.read();
      if (typeof chunk === "string") {
        return chunk;
      }
      if (this.#broken) {
        this.fault ??= this.#connectionFault(this.#broken);
        throw this.#broken;
      }
      if (this.#ended) {
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** How long the server may be silent from now on. */
  allowSilence(ms: number): void {
    this.#request?.setTimeout(Math.min(ms, this.#options.idleTimeoutMs));
  }

  /**
   * Lets go of an answer that is complete: its connection may serve the next request. Until its
   * last byte is in, the signal still closes it.
   */
  release(): void {
    const response = this.#response;
    if (!response || this.#ended || this.#broken) {
      this.close();
      return;
    }
    this.#released = true;
    const timer = setTimeout(() => this.#request?.destroy(), drainMs);
    timer.unref();
    response.once("close", () => clearTimeout(timer));
    response.removeAllListeners("readable");
    response.resume();
  }

  /** Destroys the connection, unless the answer is all in or was released. */
  close(): void {
    if (this.#released) {
      return;
    }
    if (!this.#ended) {
      this.#request?.destroy();
    }
  }

  /** Without an argument for Node: an error given to a finished request is thrown at nobody. */
  #destroy(cause: Error): void {
    this.#cause ??= cause;
    this.#request?.destroy();
  }

  /**
   * A server may close a connection that it said it keeps, in the moment in which it is used again.
   * Not a byte of an answer came then, so the request is sent once more, over a new one.
   */
  async #sendOverKept(
    url: URL,
    method: string,
    body: string | undefined,
  ): Promise<IncomingMessage> {
    try {
      return await this.#send(url, method, body);
    } catch (error) {
      if (!this.#keptWasClosed) {
        throw error;
      }
      // The others are as old.
      for (const socket of Object.values(this.#options.agent.freeSockets).flat()) {
        socket?.destroy();
      }
      return this.#send(url, method, body);
    }
  }

  get #keptWasClosed(): boolean {
    const request = this.#request;
    const weDid = this.#cause !== undefined || this.#options.signal.aborted;
    return (
      !weDid && request?.reusedSocket === true && request.socket?.bytesRead === this.#readBefore
    );
  }

  #send(url: URL, method: string, body: string | undefined): Promise<IncomingMessage> {
    const { signal, agent, headers, connectTimeoutMs, idleTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(new Error("aborted"));
        return;
      }
      const send = url.protocol === "https:" ? httpsRequest : httpRequest;
      const request = send(url, {
        agent,
        method,
        headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
      });
      this.#request = request;
      const onAbort = () => this.#destroy(new Error("aborted"));
      signal.addEventListener("abort", onAbort, { once: true });
      request.once("close", () => signal.removeEventListener("abort", onAbort));
      request.once("socket", ({ bytesRead }) => {
        this.#readBefore = bytesRead;
      });
      request.once("response", resolve);
      request.on("error", reject);
      request.on("timeout", () => this.#destroy(fault("ETIMEDOUT", "silent for too long")));
      request.setTimeout(idleTimeoutMs);
      limitConnecting(request, url.protocol === "https:", connectTimeoutMs, () =>
        this.#destroy(fault("ECONNTIMEOUT", "no connection")),
      );
      request.end(body);
    });
  }

  #listen(response: IncomingMessage): void {
    const wake = () => {
      const resolve = this.#wake;
      this.#wake = undefined;
      resolve?.();
    };
    response.on("readable", wake);
    response.once("end", () => {
      this.#ended = true;
      wake();
    });
    response.on("error", (error) => {
      this.#broken ??= error;
      wake();
    });
    response.once("close", () => {
      if (!this.#ended) {
        this.#broken ??= fault("ECONNRESET", "the connection was closed");
      }
      wake();
    });
  }

  async #readStart(limit: number): Promise<string> {
    let text = "";
    try {
      for (let piece = await this.read(); piece !== undefined; piece = await this.read()) {
        text += piece;
        if (text.length > limit) {
          break;
        }
      }
    } catch {
      // The status says enough; a cut-off explanation changes nothing.
    }
    this.fault = undefined;
    return text.slice(0, limit);
  }

  #connectionFault(seen: unknown): ExchangeFault {
    const error = this.#cause ?? seen;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const message = error instanceof Error ? error.message : String(error);
    return { type: "connection", code, message, answering: this.#response !== undefined };
  }
}

function fault(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** An address that drops packets must not look like a model that thinks. */
function limitConnecting(
  request: ClientRequest,
  secure: boolean,
  ms: number,
  giveUp: () => void,
): void {
  request.once("socket", (socket) => {
    if (!socket.connecting) {
      return;
    }
    const timer = setTimeout(giveUp, ms);
    const stop = () => clearTimeout(timer);
    socket.once(secure ? "secureConnect" : "connect", stop);
    socket.once("close", stop);
  });
}
