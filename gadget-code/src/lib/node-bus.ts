// oxlint-disable typescript/no-unsafe-type-assertion -- a notice was made by another node of ours, by the same table
import { randomUUID } from "node:crypto";
import { DroneId, ideNotices, Person, TurnId, UserId } from "@gadget/api";
import * as z from "zod/mini";
import type { StoredDrone } from "../models/drone.ts";
import type { OtherNodes } from "../nodes/other-nodes.ts";
import type { OpenStreams } from "../people/open-streams.ts";
import type { Relayed } from "../people/relayed.ts";
import { dispatchDrone } from "../turns/dispatch.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";
import type { TurnFeed } from "../turns/state/turn-feed.ts";
import type { IdeNamespace } from "./namespaces.ts";
import type { SocketLine } from "./socket-line.ts";

const NodeMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("notice"),
    room: z.string(),
    name: z.string(),
    args: z.array(z.unknown()),
  }),
  z.object({ type: z.literal("abortAsked"), turnId: TurnId, by: Person, at: z.string() }),
  z.object({ type: z.literal("wordSaid"), word: z.string(), by: Person }),
  z.object({ type: z.literal("turnEnded"), turnId: TurnId }),
  z.object({ type: z.literal("droneCame"), droneId: DroneId }),
  z.object({ type: z.literal("workWaits"), droneId: DroneId }),
  z.object({ type: z.literal("credentialEnded"), credential: z.string() }),
  z.object({
    type: z.literal("personLeft"),
    userId: UserId,
    except: z.optional(z.string()),
  }),
]);
type NodeMessage = z.infer<typeof NodeMessage>;
type TurnMessage = Exclude<NodeMessage, { type: "credentialEnded" | "personLeft" }>;

type BusContext = TurnContext & { relayed: Relayed };

/**
 * What nodes tell each other, over the broker, in the order in which it was said. It is lost
 * while the broker is away: then pages and streams read the log again.
 */
export class NodeBus implements OtherNodes {
  readonly self = randomUUID();
  readonly shared = true;
  readonly #ide: IdeNamespace;

  constructor(ide: IdeNamespace) {
    this.#ide = ide;
  }

  /** The same notice for the pages of the other nodes. */
  notice(room: string, name: string, args: unknown[]): void {
    this.#tell({ type: "notice", room, name, args });
  }

  abortAsked(turnId: TurnId, by: Person, at: Date): void {
    this.#tell({ type: "abortAsked", turnId, by, at: at.toISOString() });
  }

  wordSaid(word: string, by: Person): void {
    this.#tell({ type: "wordSaid", word, by });
  }

  turnEnded(turnId: TurnId): void {
    this.#tell({ type: "turnEnded", turnId });
  }

  droneCame(droneId: DroneId): void {
    this.#tell({ type: "droneCame", droneId });
  }

  workWaits(droneId: DroneId): void {
    this.#tell({ type: "workWaits", droneId });
  }

  /** Event streams that came in with it end. */
  credentialEnded(credential: string): void {
    this.#tell({ type: "credentialEnded", credential });
  }

  personLeft(userId: UserId, except: string | undefined): void {
    this.#tell({ type: "personLeft", userId, except });
  }

  #tell(message: NodeMessage): void {
    // As text: the adapter's own encoding would make null of what is undefined.
    this.#ide.serverSideEmit("node", JSON.stringify(message));
  }

  /** Hears the others. */
  serve(context: BusContext, line: SocketLine, feed: TurnFeed, streams: OpenStreams): void {
    this.#ide.on("node", (text) => {
      try {
        const message = NodeMessage.parse(JSON.parse(text));
        if (message.type === "credentialEnded") {
          streams.closeCredential(message.credential);
        } else if (message.type === "personLeft") {
          streams.closePerson(message.userId, message.except);
        } else {
          this.#hear(message, context, line, feed);
        }
      } catch (error) {
        context.log.error({ err: error }, "a message of another node can't be read");
      }
    });
  }

  #hear(message: TurnMessage, context: BusContext, line: SocketLine, feed: TurnFeed): void {
    const { live } = context;
    if (message.type === "notice") {
      this.#pass(message, feed);
    } else if (message.type === "abortAsked") {
      const { turnId, by, at } = message;
      live.askAbort(turnId, { by, at: new Date(at), stored: Promise.resolve(undefined) });
    } else if (message.type === "wordSaid") {
      context.relayed.hear(message.word, message.by);
    } else if (message.type === "turnEnded") {
      live.end(message.turnId);
    } else if (message.type === "droneCame") {
      void this.#letGo(message.droneId, context, line);
    } else if (line.isHere(message.droneId)) {
      dispatchDrone(context, message.droneId);
    }
  }

  #pass({ room, name, args }: NodeMessage & { type: "notice" }, feed: TurnFeed): void {
    this.#ide.local.to(room).emit(name as "turnEvents", ...(args as [never]));
    if (name !== "turnEvents" || feed.isEmpty) {
      return;
    }
    const [{ turnId, events }] = z.parse(ideNotices.turnEvents.args, args);
    feed.publish(turnId, events);
  }

  /** A drone that went to and fro quickly is where it said hello last: the database knows. */
  async #letGo(droneId: DroneId, context: TurnContext, line: SocketLine): Promise<void> {
    const { models, live, log } = context;
    try {
      const drone = await models.drones.findById(droneId, { node: 1 }).lean<StoredDrone>();
      if (drone?.node === this.self) {
        return;
      }
      line.drop(droneId);
      for (const turn of live.ofDrone(droneId)) {
        turn.letGo();
      }
    } catch (error) {
      log.error({ err: error, droneId }, "a drone that moved could not be let go");
    }
  }
}
