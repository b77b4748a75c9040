import {
  type AbortAnswer,
  abortMessages,
  type ChatSession,
  type ChatTurn,
  MessageId,
  type MessageMode,
  newId,
  type QueuedMessage,
  RefusalError,
  type SessionId,
  TurnId,
} from "@gadget/api";
import { type Request, sentenceOf } from "../lib/api.ts";
import type { SocketClient } from "../lib/socket.ts";
import { dismissToast, showToast } from "../lib/toast.ts";
import { writeDraft, writeSending } from "./draft.ts";
import type { SessionFeed } from "./session-feed.ts";
import { dropTurn, putTurn, putUnsent, setCancelling } from "./session-state.ts";
import { isRunning } from "./turn-entry.ts";

export interface ActionServices {
  socket: SocketClient;
  request: Request;
}

export interface Submission {
  prompt?: string;
  continues?: TurnId;
}

/** Less than this nobody could read. */
const seenMs = 1_200;
const attempts = 5;
const linkMs = 20_000;
/** The notice above the composer says which drone it is, and until when. */
const unreachable =
  "The drone can't be reached. The turn stops when it is back, or when its time is over.";

/** What a person can do in a session. Failures are told in a toast and returned as `false`. */
export class SessionActions {
  #feed: SessionFeed;
  #socket: SocketClient;
  #request: Request;
  #sending = new Map<TurnId, Promise<unknown>>();

  constructor(feed: SessionFeed, { socket, request }: ActionServices) {
    this.#feed = feed;
    this.#socket = socket;
    this.#request = request;
  }

  /** Sends a prompt under an id of our own, so that a repeated sending is the same turn. */
  async submit(submission: Submission, turnId = newId(TurnId)): Promise<boolean> {
    const { sessionId, store } = this.#feed;
    const { prompt } = submission;
    if (prompt !== undefined) {
      writeSending(sessionId, { turnId, text: prompt });
    }
    try {
      const unsent = unsentTurn(await this.#feed.opened(), turnId, submission);
      store.setState((state) => putUnsent(state, unsent), true);
      const sending = this.#send(turnId, submission);
      this.#sending.set(turnId, sending);
      const turn = await sending;
      store.setState((state) => putTurn(state, turn), true);
      return true;
    } catch (error) {
      store.setState((state) => dropTurn(state, turnId), true);
      showToast(sentenceOf(error), { tone: "error" });
      return false;
    } finally {
      this.#sending.delete(turnId);
      writeSending(sessionId, undefined);
    }
  }

  /** The same turn once more, with leave to run beside the one that holds its workspace. */
  runAnyway({ id: turnId, sessionId, prompt, continues }: ChatTurn): Promise<boolean> {
    const same = { ...(prompt !== "" && { prompt }), ...(continues && { continues }) };
    return this.#try(() =>
      this.#socket.submitPrompt({ sessionId, turnId, ...same, runAnyway: true }),
    );
  }

  /** The copy of the session up to this turn, which goes on with another prompt. */
  async resend(before: TurnId, prompt: string): Promise<SessionId | undefined> {
    try {
      const params = { id: this.#feed.sessionId };
      const { session } = await this.#request("forkSession", { params, body: { before } });
      const turn = { params: { id: session.id }, body: { prompt, turnId: newId(TurnId) } };
      await this.#request("submitTurn", turn).catch((error: unknown) => {
        writeDraft(session.id, prompt);
        showToast(sentenceOf(error), { tone: "error" });
      });
      return session.id;
    } catch (error) {
      showToast(sentenceOf(error), { tone: "error" });
      return undefined;
    }
  }

  /** An earlier prompt that is being edited is no draft: what stood there before is. */
  setDraft(draft: string): void {
    if (this.#feed.store.getState().editing === undefined) {
      writeDraft(this.#feed.sessionId, draft);
    }
    this.#feed.store.setState({ draft });
  }

  /** Cancel, and the second Esc. */
  async abort(turnId: TurnId): Promise<void> {
    const { store } = this.#feed;
    if (store.getState().cancelling.has(turnId)) {
      return;
    }
    store.setState((state) => setCancelling(state, turnId, true), true);
    // A turn that the server does not know yet can't be aborted there: it has to arrive first.
    await this.#sending.get(turnId)?.catch(() => {});
    if (!store.getState().turns.has(turnId)) {
      return;
    }
    const { success, message } = await this.#askForAbort(turnId);
    if (success) {
      this.#sayAborting(turnId);
      if (message === abortMessages.unreachable || message === abortMessages.storing) {
        const words = message === abortMessages.unreachable ? unreachable : message;
        showToast(words, { tone: "warning", ms: 8_000 });
      }
      return;
    }
    store.setState((state) => setCancelling(state, turnId, false), true);
    showToast(message ?? "The abort did not reach the server. Try again.", { tone: "error" });
  }

  /** Shown for as long as it is true, and long enough to be read where the abort is fast. */
  #sayAborting(turnId: TurnId): void {
    const { store } = this.#feed;
    const said = showToast("Aborting Agentic Workflow Loop...", { id: "abort", ms: 20_000 });
    const isOver = () => {
      const entry = store.getState().turns.get(turnId);
      return entry === undefined || !isRunning(entry);
    };
    const seen = setTimeout(() => isOver() && end(), seenMs);
    const shownAt = performance.now();
    const stop = store.subscribe(() => {
      if (isOver() && performance.now() - shownAt >= seenMs) {
        end();
      }
    });
    const end = (): void => {
      clearTimeout(seen);
      stop();
      dismissToast(said);
    };
  }

  async forceStop(turnId: TurnId): Promise<void> {
    await this.#try(async () => {
      const turn = await this.#socket.forceStop(turnId);
      this.#feed.store.setState((state) => putTurn(state, turn), true);
    });
  }

  finishUp(turnId: TurnId): Promise<boolean> {
    return this.#try(() => this.#socket.finishWorkOrder(turnId));
  }

  sendMessage(turnId: TurnId, text: string, mode: MessageMode): Promise<boolean> {
    const messageId = newId(MessageId);
    return this.#try(() => this.#socket.sendMessage({ turnId, messageId, text, mode }));
  }

  /** One step of the server's, which may be repeated: the message becomes one turn. */
  sendQueued({ id: messageId, sessionId: id }: QueuedMessage): Promise<boolean> {
    return this.#try(async () => {
      const { turn } = await this.#request("sendQueued", { params: { id, messageId } });
      this.#feed.store.setState((state) => putTurn(state, turn), true);
    });
  }

  /** Ends the running turn and sends the message as soon as that has settled. */
  async stopAndSend(message: QueuedMessage, running: TurnId): Promise<void> {
    await this.abort(running);
    if (await this.#settled(running)) {
      await this.sendQueued(message);
    }
  }

  /** False where it is refused: the turn runs on. */
  #settled(turnId: TurnId): Promise<boolean> {
    const { store } = this.#feed;
    return new Promise((resolve) => {
      const look = (): boolean => {
        const { turns, cancelling } = store.getState();
        const entry = turns.get(turnId);
        const isOver = entry === undefined || !isRunning(entry);
        const isOnItsWay = cancelling.has(turnId) || entry?.turn.abortRequestedAt !== undefined;
        if (!isOver && isOnItsWay) {
          return false;
        }
        resolve(isOver);
        return true;
      };
      if (look()) {
        return;
      }
      const stop = store.subscribe(() => void (look() && stop()));
    });
  }

  answerQuestion(...args: Parameters<SocketClient["answerQuestion"]>): Promise<boolean> {
    return this.#try(() => this.#socket.answerQuestion(...args));
  }

  answerApproval(...args: Parameters<SocketClient["answerApproval"]>): Promise<boolean> {
    return this.#try(() => this.#socket.answerApproval(...args));
  }

  cancelTool(...args: Parameters<SocketClient["cancelTool"]>): Promise<boolean> {
    return this.#try(() => this.#socket.cancelTool(...args));
  }

  async #try(run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      showToast(sentenceOf(error), { tone: "error" });
      return false;
    }
  }

  async #send(turnId: TurnId, submission: Submission): Promise<ChatTurn> {
    const { sessionId } = this.#feed;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#whenLive();
        return await this.#socket.submitPrompt({ sessionId, turnId, ...submission });
      } catch (error) {
        const silent = error instanceof RefusalError && error.code === "unavailable";
        if (!silent || attempt === attempts) {
          throw error;
        }
      }
    }
  }

  /** The socket is the short way; where it is down, REST may still get through. */
  async #askForAbort(turnId: TurnId): Promise<AbortAnswer> {
    try {
      if (this.#socket.link === "live") {
        return await this.#socket.abort(turnId);
      }
      const { turn, message } = await this.#request("cancelTurn", { params: { id: turnId } });
      this.#feed.store.setState((state) => putTurn(state, turn), true);
      return { success: true, message };
    } catch (error) {
      return { success: false, message: sentenceOf(error) };
    }
  }

  #whenLive(): Promise<void> {
    if (this.#socket.link === "live") {
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const end = (done: () => void): void => {
        clearTimeout(timer);
        stop();
        done();
      };
      const timer = setTimeout(
        () => end(() => reject(new RefusalError("unavailable", "The server can't be reached."))),
        linkMs,
      );
      const stop = this.#socket.onLink((link) => {
        if (link === "live") {
          end(resolve);
        }
      });
    });
  }
}

/** What is shown of a turn until the server has it. */
function unsentTurn(
  session: ChatSession,
  id: TurnId,
  { prompt = "", continues }: Submission,
): ChatTurn {
  return {
    id,
    sessionId: session.id,
    projectId: session.projectId,
    droneId: session.droneId,
    prompt,
    ...(continues !== undefined && { continues }),
    status: "queued",
    createdAt: new Date().toISOString(),
    usage: { inputTokens: 0, outputTokens: 0 },
    filesChanged: [],
  };
}
