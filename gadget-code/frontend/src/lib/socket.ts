import {
  type AbortWorkOrderMessage,
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
const retryMs = 2_000;

/** The page's one connection. It reconnects for ever; who needs a session joins it again. */
export class SocketClient {
  #socket: IdeSocket;
  #link: Link = "connecting";
  #listeners = new Set<(link: Link) => void>();
  #retry: ReturnType<typeof setTimeout> | undefined;
  #onRefused: () => void;

  constructor(socket: IdeSocket, onRefused: () => void = () => {}) {
    this.#socket = socket;
    this.#onRefused = onRefused;
    socket.on("connect", () => this.#setLink("live"));
    socket.on("disconnect", () => {
      this.#setLink("lost");
      this.#retryUnlessActive();
    });
    socket.on("connect_error", () => {
      if (!socket.active) this.#onRefused();
      this.#retryUnlessActive();
    });
  }

  get link(): Link {
    return this.#link;
  }

  connect(): void {
    this.#socket.connect();
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#socket.disconnect();
    clearTimeout(this.#retry);
    this.#setLink("connecting");
  }

  onLink(listener: (link: Link) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  subscribe(handlers: IdeHandlers): () => void {
    // What can't be read comes from a newer server; the numbers show the gap and it is refetched.
    return subscribe(this.#socket, ideNotices, handlers, () => {});
  }

  joinSession(join: JoinSession): Promise<JoinedSession> {
    return ask(this.#socket, ideCommands, "joinSession", [join], answerMs);
  }

  async leaveSession(sessionId: SessionId): Promise<void> {
    if (this.#link !== "live") return;
    await ask(this.#socket, ideCommands, "leaveSession", [{ sessionId }], answerMs);
  }

  async submitPrompt(prompt: SubmitPrompt): Promise<ChatTurn> {
    const answer = await ask(this.#socket, ideCommands, "submitPrompt", [prompt], answerMs);
    return answer.turn;
  }

  abortWorkOrder: AbortWorkOrderMessage = (turnId, cb) => {
    // oxlint-disable promise/no-callback-in-promise -- the callback is the contract's signature
    ask(this.#socket, ideCommands, "abortWorkOrder", [turnId], abortMs).then(
      ({ success, message }) => cb(success, message),
      (error: unknown) => cb(false, error instanceof Error ? error.message : undefined),
    );
    // oxlint-enable promise/no-callback-in-promise
  };

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
    const given = { turnId, approvalId, decision, ...(reason === undefined ? {} : { reason }) };
    await ask(this.#socket, ideCommands, "answerApproval", [given], answerMs);
  }

  async cancelTool(turnId: TurnId, callId: CallId): Promise<void> {
    await ask(this.#socket, ideCommands, "cancelTool", [{ turnId, callId }], answerMs);
  }

  #setLink(link: Link): void {
    if (this.#link === link) return;
    this.#link = link;
    for (const listener of this.#listeners) listener(link);
  }

  /** socket.io retries a lost transport by itself, but not a connection that the server refused. */
  #retryUnlessActive(): void {
    if (this.#socket.active) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#socket.connect(), retryMs);
  }
}

export function openSocket(onRefused: () => void): SocketClient {
  const socket: IdeSocket = io(ideNamespace, {
    transports: ["websocket"],
    autoConnect: false,
    reconnectionDelay: 200,
    reconnectionDelayMax: 3_000,
  });
  return new SocketClient(socket, onRefused);
}
