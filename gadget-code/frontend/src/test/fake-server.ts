import {
  type ChatTurn,
  type CommandHandlers,
  type ideCommands as IdeCommands,
  ideCommands,
  type JoinedSession,
  RefusalError,
  serve,
} from "@gadget/api";
import { vi } from "vitest";
import { SocketClient } from "../lib/socket.ts";
import { joinedWith, sampleTurn } from "./samples.ts";

type Listener = (...args: unknown[]) => void;
type Handlers = CommandHandlers<typeof IdeCommands>;

/** One end of a connection in memory, with the methods of a socket.io socket that are used. */
class FakeSocket {
  active = true;
  connected = false;
  peer: FakeSocket | undefined;
  #any = new Set<Listener>();
  #on = new Map<string, Set<Listener>>();

  on(event: string, listener: Listener): void {
    const listeners = this.#on.get(event) ?? new Set();
    this.#on.set(event, listeners.add(listener));
  }

  onAny(listener: Listener): void {
    this.#any.add(listener);
  }

  offAny(listener: Listener): void {
    this.#any.delete(listener);
  }

  fire(event: string): void {
    for (const listener of this.#on.get(event) ?? []) {
      listener();
    }
  }

  receive(event: string, ...args: unknown[]): void {
    for (const listener of this.#any) {
      listener(event, ...args);
    }
  }

  connect(): void {
    this.connected = true;
    this.fire("connect");
  }

  disconnect(): void {
    this.connected = false;
    this.fire("disconnect");
  }

  timeout(ms: number): { emit: (event: string, ...args: unknown[]) => void } {
    return {
      emit: (event, ...args) => {
        const ack = args.pop() as (error: unknown, ...answer: unknown[]) => void;
        const timer = setTimeout(() => ack(new Error("timeout")), ms);
        if (!this.connected) {
          return;
        }
        this.peer?.receive(event, ...wire(args), (...answer: unknown[]) => {
          clearTimeout(timer);
          ack(null, ...wire(answer));
        });
      },
    };
  }
}

function wire(args: unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(args)) as unknown[];
}

/** A server in memory: every command is validated as on the real one, and can be replaced. */
export class FakeServer {
  readonly client: SocketClient;
  readonly socket = new FakeSocket();
  readonly request = vi.fn<(name: string, options?: unknown) => Promise<never>>();
  joined: JoinedSession = joinedWith();
  #far = new FakeSocket();

  readonly handlers = {
    joinSession: vi.fn<Handlers["joinSession"]>(() => this.joined),
    leaveSession: vi.fn<Handlers["leaveSession"]>(() => ({})),
    submitPrompt: vi.fn<Handlers["submitPrompt"]>(({ turnId, prompt }) => ({
      turn: sampleTurn({ id: turnId, prompt: prompt ?? "", createdAt: new Date().toISOString() }),
    })),
    abortWorkOrder: vi.fn<Handlers["abortWorkOrder"]>(() => ({
      success: true,
      message: "Abort signaled",
    })),
    forceStop: vi.fn<Handlers["forceStop"]>(({ turnId }) => ({
      turn: sampleTurn({ id: turnId, status: "aborted" }),
    })),
    finishWorkOrder: vi.fn<Handlers["finishWorkOrder"]>(() => ({})),
    sendMessage: vi.fn<Handlers["sendMessage"]>(({ turnId, messageId, text, mode }) => ({
      message: {
        id: messageId,
        sessionId: this.joined.session.id,
        turnId,
        mode,
        text,
        createdAt: new Date().toISOString(),
      },
    })),
    answerQuestion: vi.fn<Handlers["answerQuestion"]>(() => ({})),
    answerApproval: vi.fn<Handlers["answerApproval"]>(() => ({})),
    cancelTool: vi.fn<Handlers["cancelTool"]>(() => ({})),
  };

  constructor() {
    this.socket.peer = this.#far;
    serve(this.#far, ideCommands, this.handlers, (_, error) => {
      throw error;
    });
    const socket = this.socket as unknown as ConstructorParameters<typeof SocketClient>[0];
    this.client = new SocketClient(socket);
    this.request.mockRejectedValue(new RefusalError("unavailable"));
  }

  push(event: string, ...args: unknown[]): void {
    this.socket.receive(event, ...wire(args));
  }

  pushTurn(turn: ChatTurn): void {
    this.push("turnChanged", { turn });
  }
}
