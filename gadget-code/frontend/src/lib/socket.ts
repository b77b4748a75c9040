import {
  type AbortAnswer,
  type ApprovalDecision,
  type ApprovalId,
  ask,
  type CallId,
  type ChatTurn,
  type ClientToServerEvents,
  ideCommands,
  ideNamespace,
  ideNotices,
  type JoinedSession,
  type JoinSession,
  type MessageId,
  type MessageMode,
  type NoticeHandlers,
  type QuestionId,
  type QueuedMessage,
  type ServerToClientEvents,
  type SessionId,
  type SubmitPrompt,
  subscribe,
  type TurnId,
} from "@gadget/api";
import { io, type Socket } from "socket.io-client";

type IdeSocket = Socket<ServerToClientEvents<"ide">, ClientToServerEvents<"ide">>;
export type IdeHandlers = NoticeHandlers<typeof ideNotices>;

/** connecting: not yet since the page opened · live · lost: it was there and is gone */
export type Link = "connecting" | "live" | "lost";

const answerMs = 10_000;
/** The server answers an abort within a second; a slow network gets a little more. */
const abortMs = 5_000;
/** A server that hangs does not answer at all. */
const connectMs = 8_000;
/** The time before each further try; the last one is for all that follow. */
const retriesMs = [200, 400, 800, 1_500, 2_500, 4_000] as const;
/** A connection that is lost for less is nothing to tell of. */
const patienceMs = 2_000;
/** Many pages that lost one server must not all come back at one moment. */
const spread = 0.2;

export interface Lost {
  /** For so long that it is worth a word. */
  isLong: boolean;
  /** When it is tried again, on the clock of `performance.now()`; undefined: it is being tried. */
  retryAt: number | undefined;
}

/** The page's one connection. It tries again until it is back; whatever needs a session joins it anew. */
export class SocketClient {
  #socket: IdeSocket;
  #link: Link = "connecting";
  #lost: Lost | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #listeners = new Set<(link: Link) => void>();
  #lostListeners = new Set<() => void>();
  #retry: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #onRefused: () => void;

  constructor(socket: IdeSocket, onRefused: () => void = () => {}) {
    this.#socket = socket;
    this.#onRefused = onRefused;
    socket.on("connect", () => {
      this.#tries = 0;
      clearTimeout(this.#patience);
      this.#setLost(undefined);
      this.#setLink("live");
    });
    socket.on("disconnect", () => {
      this.#setLink("lost");
      this.#lose();
      this.#retryLater();
    });
    socket.on("connect_error", () => {
      if (!socket.active) {
        this.#onRefused();
      }
      this.#retryLater();
    });
  }

  get link(): Link {
    return this.#link;
  }

  /** Undefined while it is live. */
  get lost(): Lost | undefined {
    return this.#lost;
  }

  connect(): void {
    this.#lose();
    this.#socket.connect();
  }

  /** Does not wait for the next try. */
  retryNow(): void {
    if (this.#lost?.retryAt === undefined) {
      return;
    }
    clearTimeout(this.#retry);
    this.#setLost({ ...this.#lost, retryAt: undefined });
    this.#socket.connect();
  }

  close(): void {
    this.#socket.disconnect();
    clearTimeout(this.#retry);
    clearTimeout(this.#patience);
    this.#tries = 0;
    this.#setLost(undefined);
    this.#setLink("connecting");
  }

  onLink(listener: (link: Link) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onLost(listener: () => void): () => void {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  subscribe(handlers: IdeHandlers): () => void {
    // What can't be read comes from a newer server; the numbers show the gap and it is refetched.
    return subscribe(this.#socket, ideNotices, handlers, () => {});
  }

  joinSession(join: JoinSession): Promise<JoinedSession> {
    return ask(this.#socket, ideCommands, "joinSession", [join], answerMs);
  }

  async leaveSession(sessionId: SessionId): Promise<void> {
    if (this.#link !== "live") {
      return;
    }
    await ask(this.#socket, ideCommands, "leaveSession", [{ sessionId }], answerMs);
  }

  async submitPrompt(prompt: SubmitPrompt): Promise<ChatTurn> {
    const answer = await ask(this.#socket, ideCommands, "submitPrompt", [prompt], answerMs);
    return answer.turn;
  }

  abort(turnId: TurnId): Promise<AbortAnswer> {
    return ask(this.#socket, ideCommands, "abortWorkOrder", [turnId], abortMs);
  }

  async forceStop(turnId: TurnId): Promise<ChatTurn> {
    const answer = await ask(this.#socket, ideCommands, "forceStop", [{ turnId }], answerMs);
    return answer.turn;
  }

  async finishWorkOrder(turnId: TurnId): Promise<void> {
    await ask(this.#socket, ideCommands, "finishWorkOrder", [{ turnId }], answerMs);
  }

  async sendMessage(message: {
    turnId: TurnId;
    messageId: MessageId;
    text: string;
    mode: MessageMode;
  }): Promise<QueuedMessage> {
    const answer = await ask(this.#socket, ideCommands, "sendMessage", [message], answerMs);
    return answer.message;
  }

  async answerQuestion(turnId: TurnId, questionId: QuestionId, answer: string): Promise<void> {
    const given = { turnId, questionId, answer };
    await ask(this.#socket, ideCommands, "answerQuestion", [given], answerMs);
  }

  async answerApproval(
    turnId: TurnId,
    approvalId: ApprovalId,
    decision: ApprovalDecision,
    reason?: string,
  ): Promise<void> {
    const given = { turnId, approvalId, decision, ...(reason !== undefined && { reason }) };
    await ask(this.#socket, ideCommands, "answerApproval", [given], answerMs);
  }

  async cancelTool(turnId: TurnId, callId: CallId): Promise<void> {
    await ask(this.#socket, ideCommands, "cancelTool", [{ turnId, callId }], answerMs);
  }

  #setLink(link: Link): void {
    if (this.#link === link) {
      return;
    }
    this.#link = link;
    for (const listener of this.#listeners) {
      listener(link);
    }
  }

  #lose(): void {
    clearTimeout(this.#patience);
    this.#setLost({ isLong: false, retryAt: undefined });
    this.#patience = setTimeout(() => {
      if (this.#lost !== undefined) {
        this.#setLost({ ...this.#lost, isLong: true });
      }
    }, patienceMs);
  }

  #setLost(lost: Lost | undefined): void {
    this.#lost = lost;
    for (const listener of this.#lostListeners) {
      listener();
    }
  }

  /** socket.io could do it, but it neither says when nor tries where the server refused. */
  #retryLater(): void {
    clearTimeout(this.#retry);
    const ms = retriesMs[Math.min(this.#tries, retriesMs.length - 1)] ?? 0;
    const waitMs = ms * (1 - spread * Math.random());
    this.#tries += 1;
    this.#setLost({ isLong: this.#lost?.isLong ?? false, retryAt: performance.now() + waitMs });
    this.#retry = setTimeout(() => this.retryNow(), waitMs);
  }
}

export function openSocket(onRefused: () => void): SocketClient {
  const socket: IdeSocket = io(ideNamespace, {
    transports: ["websocket"],
    autoConnect: false,
    reconnection: false,
    timeout: connectMs,
  });
  return new SocketClient(socket, onRefused);
}
