import {
  type ClientToServerEvents,
  type CommandHandlers,
  ideCommands,
  type JoinedSession,
  type JoinSession,
  RefusalError,
  type ServerToClientEvents,
  serve,
  type TurnId,
  type TurnWithTranscript,
} from "@gadget/api";
import type { Socket } from "socket.io";
import { type StoredSession, sessionToWire } from "../models/chat-session.ts";
import { type StoredTurn, turnShownTo, turnToWire } from "../models/chat-turn.ts";
import { databaseRefusal } from "../models/database-refusal.ts";
import { messageToWire } from "../models/queued-message.ts";
import { personOf, type StoredUser } from "../models/user.ts";
import { type AuditAction, audit } from "../people/audit.ts";
import { endableBy } from "../people/owned.ts";
import type { RateLimits } from "../people/rate-limits.ts";
import type { Relayed } from "../people/relayed.ts";
import { abort } from "../turns/abort.ts";
import { answerApproval } from "../turns/answer-approval.ts";
import { forceStop } from "../turns/force-stop.ts";
import { firstLookAt } from "../turns/log/history.ts";
import { firstEvents } from "../turns/log/log-events.ts";
import { sendMessage } from "../turns/message.ts";
import { queueOf } from "../turns/queue/waiting-in.ts";
import { shownTurn } from "../turns/state/shown-turn.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";
import { submit } from "../turns/submit.ts";
import { tellTurn } from "../turns/tell-turn.ts";
import { sessionRoom, userRoom } from "./rooms.ts";

export type IdeSocket = Socket<ClientToServerEvents<"ide">, ServerToClientEvents<"ide">>;

/** What a page's commands need: prompts are limited as they are over REST. */
export type PageContext = TurnContext & {
  limits: Pick<RateLimits, "prompt" | "reads">;
  relayed: Relayed;
};

/** What a page is given at first: so many turns, or fewer where they are long. */
const joinedTurns = 20;
const joinedCharacters = 200_000;
const mostMissed = { events: 5_000, characters: 2_000_000 };

/** One browser tab. Thin: each handler reads, calls one verb of `turns/`, and answers. */
export class CodeSession {
  readonly #socket: IdeSocket;
  readonly #user: StoredUser;
  readonly #context: PageContext;

  constructor(socket: IdeSocket, user: StoredUser, context: PageContext) {
    this.#socket = socket;
    this.#user = user;
    this.#context = context;
    void socket.join(userRoom(user._id));
    serve(socket, ideCommands, this.#handlers(), (event, error) => {
      const refusal = databaseRefusal(error);
      if (refusal === undefined) {
        context.log.error({ err: error, event }, "a page's command failed");
      }
      return refusal;
    });
  }

  #handlers(): CommandHandlers<typeof ideCommands> {
    const context = this.#context;
    const { relayed } = context;
    const owner = this.#user._id;
    const by = personOf(this.#user);
    const may = () => endableBy(context.models, owner);
    return {
      joinSession: (request) => context.limits.reads.run(owner, () => this.#join(request)),
      leaveSession: async ({ sessionId }) => {
        await this.#socket.leave(sessionRoom(sessionId));
        return {};
      },
      submitPrompt: async ({ sessionId, ...submission }) => {
        const admitted = context.limits.prompt(owner, submission.prompt);
        return { turn: turnToWire(await submit(context, owner, sessionId, submission, admitted)) };
      },
      abortWorkOrder: async (turnId) => {
        const { success, message } = await abort(context, turnId, by, may);
        if (success) {
          this.#audit("turn aborted", turnId, message);
        }
        return { success, message };
      },
      forceStop: async ({ turnId }) => {
        const turn = await forceStop(context, turnId, by, may);
        this.#audit("turn stopped by force", turnId);
        return { turn: turnShownTo(turn, owner) };
      },
      finishWorkOrder: ({ turnId }) =>
        tellTurn(context, owner, turnId, "finishWorkOrder", [{ turnId }]),
      sendMessage: async ({ turnId, ...message }) => {
        await context.limits.prompt(owner, message.text);
        relayed.note(turnId, by, { type: "message:steered", ...message });
        return { message: messageToWire(await sendMessage(context, this.#user, turnId, message)) };
      },
      answerQuestion: (answer) => {
        relayed.note(answer.turnId, by, { type: "question:closed", ...answer });
        return tellTurn(context, owner, answer.turnId, "answerQuestion", [{ ...answer, by }]);
      },
      answerApproval: async (answer) => {
        relayed.note(answer.turnId, by, { type: "approval:closed", ...answer });
        await answerApproval(context, owner, { ...answer, by });
        this.#audit("approval answered", answer.turnId, answer.decision);
        return {};
      },
      cancelTool: (call) => tellTurn(context, owner, call.turnId, "cancelTool", [call]),
    };
  }

  #audit(action: AuditAction, subject: TurnId, detail?: string): void {
    const by = personOf(this.#user);
    const { address } = this.#socket.handshake;
    audit(this.#context, { action, by, address, subject, detail });
  }

  /** Joins first and reads then, so that nothing falls in between; numbers drop what is doubled. */
  async #join({ sessionId, have = [] }: JoinSession): Promise<JoinedSession> {
    const { models } = this.#context;
    const owner = this.#user._id;
    const session = await models.sessions.findOne({ _id: sessionId, owner }).lean<StoredSession>();
    if (session === null) {
      throw new RefusalError("not_found", "There is no such session.");
    }
    await this.#socket.join(sessionRoom(sessionId));
    const turns = await models.turns
      .find({ sessionId, owner })
      .sort({ createdAt: -1, _id: -1 })
      .limit(joinedTurns + 1)
      .lean<StoredTurn[]>();
    const held = new Map(have.map(({ turnId, after }) => [turnId, after]));
    const newest = turns.slice(0, joinedTurns);
    // Between what the page holds and the newest no turn may be left out.
    const isApart = !newest.some(({ _id }) => held.has(_id));
    const shown: TurnWithTranscript[] = [];
    const missed: JoinedSession["missed"] = [];
    let characters = 0;
    for (const turn of newest) {
      const missedOf = await this.#missed(turn, held.get(turn._id));
      if (missedOf !== undefined) {
        missed.unshift(missedOf);
        continue;
      }
      const whole = await this.#whole(turn);
      characters += JSON.stringify(whole).length;
      if (isApart && shown.length > 0 && characters > joinedCharacters) {
        break;
      }
      shown.unshift(whole);
    }
    const queue = await queueOf(this.#context, { sessionId, owner });
    return {
      session: sessionToWire(session),
      turns: shown,
      hasOlder: shown.length + missed.length < turns.length,
      missed,
      queue,
    };
  }

  async #whole(turn: StoredTurn): Promise<TurnWithTranscript> {
    return {
      turn: turnToWire(shownTurn(this.#context.live, turn)),
      transcript: await firstLookAt(this.#context.models, turn),
    };
  }

  /** Undefined: the page does not hold the turn, or has missed so much that it is shown it anew. */
  async #missed(
    turn: StoredTurn,
    after: number | undefined,
  ): Promise<JoinedSession["missed"][number] | undefined> {
    if (after === undefined) {
      return undefined;
    }
    const { events, more } = await firstEvents(this.#context.models, turn._id, after, mostMissed);
    return more ? undefined : { turn: turnToWire(shownTurn(this.#context.live, turn)), events };
  }
}
