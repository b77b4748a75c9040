import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";

const openssl = (args: string[], cwd: string) => promisify(execFile)("openssl", args, { cwd });

/** A private CA in the folder (`ca.pem`), and a certificate that it made for a name. */
export async function makeCertificate(folder: string, name: string): Promise<void> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const of = (who: string) => ["-keyout", `${who}.key`, "-out", `${who}.pem`, "-days", "2"];
  await openssl(["req", "-x509", ...key, ...of("ca"), "-subj", "/CN=Private CA"], folder);
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", `subjectAltName=DNS:${name}`];
  const plain = ["-addext", "basicConstraints=critical,CA:FALSE"];
  await openssl(
    ["req", "-x509", ...key, ...of("site"), "-subj", `/CN=${name}`, ...signed, ...plain],
    folder,
  );
}

function pipe(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
}

export interface Listening {
  port: number;
  close(): Promise<void>;
}

async function listen(server: Server | HttpServer): Promise<Listening> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of open) {
        socket.destroy();
      }
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Ends TLS in front of a plain server. */
export async function tlsInFrontOf(port: number, folder: string): Promise<Listening> {
  const [key, cert] = await Promise.all([
    readFile(join(folder, "site.key")),
    readFile(join(folder, "site.pem")),
  ]);
  return listen(
    createTlsServer({ key, cert }, (socket) => pipe(socket, connect(port, "127.0.0.1"))),
  );
}

/** A proxy that speaks CONNECT, and the only one who knows where these hosts are. */
export async function startProxy(
  hosts: Record<string, number>,
): Promise<Listening & { asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((_req, res) => void res.writeHead(405).end());
  server.on("connect", (request, socket: Socket) => {
    const to = request.url ?? "";
    asked.push(to);
    const port = hosts[to];
    if (port === undefined) {
      return void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    }
    const inner = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      pipe(socket, inner);
    });
    inner.on("error", () => socket.destroy());
  });
  return Object.assign(await listen(server), { asked });
}

/** A model that says one thing, and what it was asked. */
export async function startModel(text: string): Promise<Listening & { requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((req, res) => {
    requests.push(`${req.method} ${req.headers.host}${req.url}`);
    req.resume();
    res.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta: object, finish: string | null) => {
      const choices = [{ index: 0, delta, finish_reason: finish }];
      const body = { id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices };
      res.write(`data: ${JSON.stringify(body)}\n\n`);
    };
    chunk({ role: "assistant", content: text }, null);
    chunk({}, "stop");
    res.end("data: [DONE]\n\n");
  });
  return Object.assign(await listen(server), { requests });
}
