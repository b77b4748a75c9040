import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import {
  type ClientToServerEvents,
  ideCommands,
  ideNamespace,
  type JoinedSession,
  RefusalError,
  restPrefix,
  type ServerToClientEvents,
  serve,
  type TurnEvent,
} from "@gadget/api";
import { type Namespace, Server } from "socket.io";
import { liveTurnId, session } from "./long-session.ts";

const types: Record<string, string> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

export interface PageServer {
  url: string;
  joined: JoinedSession;
  push(events: TurnEvent[]): void;
  close(): Promise<void>;
}

/** The built page with a server that knows one session and refuses everything else. */
export async function servePage(folder: string): Promise<PageServer> {
  const user = {
    id: "bench-user",
    email: "ada@example.org",
    name: "Ada",
    role: "member",
    createdAt: session.createdAt,
  };
  const http = createServer((req, res) => {
    const path = new URL(req.url ?? "/", "http://localhost").pathname;
    if (path.startsWith(restPrefix)) {
      const body = path === `${restPrefix}/me` ? { user } : { items: [], nextCursor: null };
      res.setHeader("content-type", "application/json").end(JSON.stringify(body));
      return;
    }
    const isFile = extname(path) !== "";
    const type = isFile ? (types[extname(path)] ?? "application/octet-stream") : "text/html";
    readFile(join(folder, isFile ? path : "index.html")).then(
      (body) => res.setHeader("content-type", type).end(body),
      () => res.writeHead(404).end(),
    );
  });
  const io = new Server(http, { transports: ["websocket"], maxHttpBufferSize: 1e8 });
  const ide: Namespace<ClientToServerEvents<"ide">, ServerToClientEvents<"ide">> = io.of(
    ideNamespace,
  );
  const server: PageServer = {
    url: "",
    joined: { session, turns: [], missed: [], queue: [] },
    push: (events) => void ide.emit("turnEvents", { turnId: liveTurnId, events }),
    close: () => io.close(),
  };
  const refuse = (): never => {
    throw new RefusalError("forbidden");
  };
  ide.on("connection", (socket) => {
    serve(
      socket,
      ideCommands,
      {
        joinSession: () => server.joined,
        leaveSession: () => ({}),
        submitPrompt: refuse,
        abortWorkOrder: refuse,
        forceStop: refuse,
        finishWorkOrder: refuse,
        sendMessage: refuse,
        answerQuestion: refuse,
        answerApproval: refuse,
        cancelTool: refuse,
      },
      () => {},
    );
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  if (address === null || typeof address === "string") {
    throw new Error("There is no port.");
  }
  server.url = `http://127.0.0.1:${address.port}`;
  return server;
}
