import {
  applyEvents,
  type ChatSession,
  type ChatTurn,
  emptyTranscript,
  type JoinedSession,
  RefusalError,
  type SessionId,
  type TurnEvent,
  type TurnId,
} from "@gadget/api";
import { createStore, type StoreApi } from "zustand/vanilla";
import { type Request, sentenceOf } from "../lib/api.ts";
import type { SocketClient } from "../lib/socket.ts";
import { readDraft, readSending, type Sending, writeDraft, writeSending } from "./draft.ts";
import { browserFrames, FrameQueue, type Frames } from "./frame-queue.ts";
import {
  emptySession,
  putTranscript,
  putTurn,
  putWhole,
  type SessionState,
} from "./session-state.ts";
import { isRunning } from "./turn-entry.ts";
import { TurnRecovery } from "./turn-recovery.ts";

export type FeedSocket = Pick<
  SocketClient,
  "link" | "onLink" | "subscribe" | "joinSession" | "leaveSession"
>;

export interface FeedServices {
  socket: FeedSocket;
  request: Request;
  frames?: Frames;
}

const pageOfTurns = 20;
const rejoinMs = 1_000;
const settleMs = 1_000;
/** The server is told of this many held turns; older ones have settled long ago. */
const haveLimit = 100;

/** Keeps one session's store in step with the server, from opening to closing. */
export class SessionFeed {
  readonly store: StoreApi<SessionState>;
  readonly sessionId: SessionId;
  #socket: FeedSocket;
  #request: Request;
  #frames: Frames;
  #queue: FrameQueue;
  #recovery: TurnRecovery;
  #events = new Map<TurnId, TurnEvent[]>();
  #turns = new Map<TurnId, ChatTurn>();
  #joins = 0;
  #unacknowledged: Sending | undefined;
  #close: (() => void)[] = [];

  constructor(sessionId: SessionId, { socket, request, frames = browserFrames }: FeedServices) {
    this.sessionId = sessionId;
    this.store = createStore(() => ({ ...emptySession, draft: readDraft(sessionId) }));
    this.#unacknowledged = readSending(sessionId);
    this.#socket = socket;
    this.#request = request;
    this.#frames = frames;
    this.#queue = new FrameQueue(() => this.#flush(), frames);
    this.#recovery = new TurnRecovery(request, frames, {
      held: (turnId) => this.store.getState().turns.get(turnId)?.transcript,
      recovered: (turn, transcript, fresh) => {
        if (turn.sessionId !== sessionId) {
          return void this.#events.delete(turn.id);
        }
        this.#set((state) => putWhole(state, turn, transcript, { evenIfOlder: fresh }));
        this.#queue.request();
      },
    });
  }

  open(): () => void {
    this.#close = [
      this.#socket.subscribe({
        turnEvents: ({ turnId, events }) => this.#take(turnId, events),
        turnChanged: ({ turn }) => this.#takeTurn(turn),
        workOrderComplete: (turnId) => this.#checkSettled(turnId),
        sessionChanged: ({ session }) => {
          if (session.id === this.sessionId) {
            this.#set((state) => ({ ...state, session }));
          }
        },
        queueChanged: ({ sessionId, queue }) => {
          if (sessionId === this.sessionId) {
            this.#set((state) => ({ ...state, queue }));
          }
        },
      }),
      this.#socket.onLink((link) => {
        if (link === "live") {
          void this.#join();
        }
      }),
    ];
    if (this.#socket.link === "live") {
      void this.#join();
    }
    return () => this.#shut();
  }

  /** The session, as soon as it is there: a prompt may be sent before that. */
  opened(): Promise<ChatSession> {
    return new Promise((resolve, reject) => {
      const check = ({ phase, session, problem }: SessionState): boolean => {
        if (phase === "failed") {
          reject(new RefusalError("unavailable", problem));
        } else if (phase === "open" && session !== undefined) {
          resolve(session);
        } else {
          return false;
        }
        return true;
      };
      if (check(this.store.getState())) {
        return;
      }
      const stop = this.store.subscribe((state) => void (check(state) && stop()));
    });
  }

  /** Fetches the turns before the oldest one held. */
  async loadOlder(): Promise<void> {
    const { older } = this.store.getState();
    if (older === null) {
      return;
    }
    const page = await this.#request("getTranscript", {
      params: { id: this.sessionId },
      query: { before: older, limit: pageOfTurns },
    });
    this.#set((state) => {
      let next = { ...state, older: page.nextCursor };
      for (const { turn, transcript } of page.items) {
        next = putWhole(next, turn, transcript);
      }
      return next;
    });
  }

  /** Fetches what a first look left out of a turn. */
  loadWhole(turnId: TurnId): void {
    this.#recovery.start(turnId, { fresh: true });
  }

  #shut(): void {
    for (const close of this.#close) {
      close();
    }
    this.#close = [];
    this.#joins += 1;
    this.#queue.cancel();
    this.#recovery.stop();
    this.#socket.leaveSession(this.sessionId).catch(() => {
      // The connection ended, and with it the membership.
    });
  }

  #set(change: (state: SessionState) => SessionState): void {
    this.store.setState(change, true);
  }

  async #join(): Promise<void> {
    const join = ++this.#joins;
    const { order, turns } = this.store.getState();
    const have = order.slice(-haveLimit).flatMap((turnId) => {
      const entry = turns.get(turnId);
      if (entry === undefined || entry.unsent) {
        return [];
      }
      return [{ turnId, after: entry.transcript.lastSeq }];
    });
    try {
      const joined = await this.#socket.joinSession({ sessionId: this.sessionId, have });
      if (join === this.#joins) {
        this.#joined(joined);
      }
    } catch (error) {
      if (join !== this.#joins) {
        return;
      }
      const passing = error instanceof RefusalError && error.code === "unavailable";
      if (!passing) {
        this.#set((state) => ({ ...state, phase: "failed", problem: sentenceOf(error) }));
      } else if (this.#socket.link === "live") {
        this.#close.push(this.#frames.onTimer(() => void this.#join(), rejoinMs));
      }
    }
  }

  #joined({ session, queue, turns, missed, hasOlder }: JoinedSession): void {
    const held = this.store.getState();
    const isApart = missed.length === 0 && turns.length > 0;
    this.#set((state) => {
      const { phase: _, problem: __, ...rest } = state;
      let next: SessionState = { ...rest, phase: "open", session, queue };
      // Nothing held is among the newest: between them lies what was never seen.
      if (isApart) {
        const unsent = state.order.filter((id) => state.turns.get(id)?.unsent);
        next = {
          ...next,
          order: unsent,
          older: hasOlder ? (turns[0]?.turn.id ?? null) : null,
        };
        next.turns = new Map([...state.turns].filter(([id]) => unsent.includes(id)));
      }
      for (const { turn, transcript } of turns) {
        next = putWhole(next, turn, transcript);
      }
      for (const { turn } of missed) {
        next = putTurn(next, turn);
      }
      return next;
    });
    this.#restoreUnacknowledged();
    for (const { turn, events } of missed) {
      this.#apply(turn.id, events);
    }
    if (held.phase === "opening" || this.#events.size > 0) {
      this.#queue.request();
    }
  }

  /** A prompt that was under way when the page was left: it arrived, or it is a draft again. */
  #restoreUnacknowledged(): void {
    const sending = this.#unacknowledged;
    this.#unacknowledged = undefined;
    if (sending === undefined) {
      return;
    }
    writeSending(this.sessionId, undefined);
    const { turns, draft } = this.store.getState();
    if (turns.has(sending.turnId) || draft !== "") {
      return;
    }
    writeDraft(this.sessionId, sending.text);
    this.#set((state) => ({ ...state, draft: sending.text }));
  }

  #take(turnId: TurnId, events: TurnEvent[]): void {
    const waiting = this.#events.get(turnId);
    if (waiting === undefined) {
      this.#events.set(turnId, [...events]);
    } else {
      waiting.push(...events);
    }
    this.#queue.request();
  }

  #takeTurn(turn: ChatTurn): void {
    if (turn.sessionId !== this.sessionId) {
      return;
    }
    this.#turns.set(turn.id, turn);
    this.#queue.request();
  }

  #flush(): void {
    if (this.store.getState().phase !== "open") {
      return;
    }
    const turns = [...this.#turns.values()];
    this.#turns.clear();
    if (turns.length > 0) {
      this.#set((state) => turns.reduce(putTurn, state));
    }
    for (const [turnId, events] of new Map(this.#events)) {
      if (this.#recovery.isBusy(turnId)) {
        continue;
      }
      this.#events.delete(turnId);
      this.#apply(turnId, events);
    }
  }

  #apply(turnId: TurnId, events: readonly TurnEvent[]): void {
    const held = this.store.getState().turns.get(turnId);
    const base = held?.transcript ?? emptyTranscript(turnId);
    const { transcript, applied } = applyEvents(base, events);
    if (held !== undefined) {
      this.#set((state) => putTranscript(state, transcript));
    }
    if (applied === "rewound") {
      this.#recovery.start(turnId, { fresh: true });
    } else if (applied === "gap" || held === undefined) {
      this.#events.set(turnId, [...events, ...(this.#events.get(turnId) ?? [])]);
      this.#recovery.start(turnId, { fresh: false });
    }
  }

  /** The completion is told beside the events; if those got lost, the turn is fetched. */
  #checkSettled(turnId: TurnId): void {
    const check = (): void => {
      const entry = this.store.getState().turns.get(turnId);
      if (entry !== undefined && isRunning(entry)) {
        this.#recovery.start(turnId, { fresh: false });
      }
    };
    this.#close.push(this.#frames.onTimer(check, settleMs));
  }
}
