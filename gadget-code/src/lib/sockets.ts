import type { Server as HttpServer, IncomingMessage } from "node:http";
import {
  agreeOnProtocol,
  DroneAuth,
  droneNamespace,
  ideNamespace,
  RefusalError,
} from "@gadget/api";
import { Server, type Socket } from "socket.io";
import { bearerHash } from "../bearer.ts";
import { droneToWire, type StoredDrone } from "../models/drone.ts";
import type { Models } from "../models/models.ts";
import { noOtherNodes, type OtherNodes } from "../nodes/other-nodes.ts";
import { type AllowedHosts, hostRefusal } from "../people/allowed-hosts.ts";
import type { HangUp } from "../people/hang-up.ts";
import { cookieValue, type Identity, identify } from "../people/identity.ts";
import { OpenStreams } from "../people/open-streams.ts";
import { unlessSilent } from "../people/unless-silent.ts";
import type { Publisher } from "../turns/state/publisher.ts";
import type { TurnFeed } from "../turns/state/turn-feed.ts";
import type { Broker } from "./broker.ts";
import { CodeSession, type IdeSocket, type PageContext } from "./code-session.ts";
import { type DroneContext, DroneSession, type DroneSocket } from "./drone-session.ts";
import { DroneSilence } from "./drone-silence.ts";
import { dropSlowReaders } from "./drop-slow-readers.ts";
import type { DroneNamespace, IdeNamespace } from "./namespaces.ts";
import { NodeBus } from "./node-bus.ts";
import { rawConnection } from "./raw-connection.ts";
import { credentialRoom, droneRoom, userRoom } from "./rooms.ts";
import { SocketLine } from "./socket-line.ts";
import { socketPublisher, type Tell, tellEverywhere } from "./socket-publisher.ts";

/** A message may carry a page of history (1 MB) and more; beyond this the connection is closed. */
const maxMessageBytes = 4_000_000;

/** A peer that sleeps does not hold up the end of the server for longer. */
const politeMs = 1_000;

/** All nodes are back at the broker when so long has passed since the first one was. */
const returnMs = 3_000;

export interface Sockets {
  line: SocketLine;
  publish: Publisher;
  nodes: OtherNodes;
  hangUp: HangUp;
  /** The event streams of this node. */
  streams: OpenStreams;
  /** The sockets of this node. */
  connected(): { browsers: number; drones: number };
  /** Starts to let browsers and drones in. */
  serve(context: PageContext & DroneContext): void;
  close(): Promise<void>;
}

export function openSockets(
  http: HttpServer,
  hosts: AllowedHosts,
  feed: TurnFeed,
  broker: Broker | undefined,
  helloMs = 10_000,
): Sockets {
  const io = new Server(http, {
    transports: ["websocket"],
    serveClient: false,
    maxHttpBufferSize: maxMessageBytes,
    ...(broker !== undefined && { adapter: broker.adapter }),
    allowRequest: (req, decide) => {
      const refusal = upgradeRefusal(hosts, req);
      decide(refusal, refusal === null);
    },
  });
  const ide: IdeNamespace = io.of(ideNamespace);
  const drone: DroneNamespace = io.of(droneNamespace);
  const line = new SocketLine(broker === undefined ? undefined : drone);
  const bus = broker === undefined ? undefined : new NodeBus(ide);
  const tell = tellEverywhere(ide, bus);
  const stopWatching = dropSlowReaders([ide, drone]);
  let silence: DroneSilence | undefined;
  const streams = new OpenStreams();
  return {
    line,
    streams,
    publish: socketPublisher(tell, feed),
    nodes: bus ?? noOtherNodes,
    hangUp: {
      person(userId, except) {
        const tabs = ide.in(userRoom(userId));
        (except === undefined ? tabs : tabs.except(credentialRoom(except))).disconnectSockets(true);
        streams.closePerson(userId, except);
        bus?.personLeft(userId, except);
      },
      credential(credential) {
        ide.in(credentialRoom(credential)).disconnectSockets(true);
        streams.closeCredential(credential);
        bus?.credentialEnded(credential);
      },
      drone: (droneId) => drone.in(droneRoom(droneId)).disconnectSockets(true),
    },
    connected: () => ({ browsers: ide.sockets.size, drones: drone.sockets.size }),
    serve(context) {
      serveIde(ide, context);
      silence = serveDrones(drone, tell, line, context, helloMs);
      bus?.serve(context, line, feed, streams);
      broker?.onReturn(() => {
        setTimeout(() => {
          // What other nodes said meanwhile is lost: streams and pages read the log again.
          feed.missed();
          for (const socket of ide.sockets.values()) {
            rawConnection(socket).terminate();
          }
        }, returnMs).unref();
      });
    },
    async close() {
      stopWatching();
      silence?.close();
      const open = [...ide.sockets.values(), ...drone.sockets.values()].map(rawConnection);
      const closed = io.close();
      const impatience = setTimeout(() => {
        for (const connection of open) {
          connection.terminate();
        }
      }, politeMs);
      await closed;
      clearTimeout(impatience);
    },
  };
}

/**
 * Against cross-site websockets, which socket.io's cors option does not refuse: with a cookie
 * the origin must be ours; without one only what is in `auth` counts, so it may be absent.
 */
function upgradeRefusal(hosts: AllowedHosts, { headers }: IncomingMessage): string | null {
  const { host, origin, cookie } = headers;
  if (!hosts.host(host)) {
    return hostRefusal(host);
  }
  if (cookieValue(cookie) === undefined && origin === undefined) {
    return null;
  }
  return hosts.origin(headers) ? null : "This connection came from another site.";
}

/** socket.io hands an error's `data` to the client that was refused. */
function refuse(error: unknown): Error {
  const refusal = error instanceof RefusalError ? error : new RefusalError("unavailable");
  return Object.assign(new Error(refusal.message), { data: refusal.toWire() });
}

function serveIde(ide: IdeNamespace, context: PageContext): void {
  const identities = new WeakMap<IdeSocket, Identity>();
  ide.use((socket, next) => {
    const { headers, auth } = socket.handshake;
    const token: unknown = Reflect.get(auth, "token");
    const authorization = typeof token === "string" ? `Bearer ${token}` : undefined;
    // A page that can't be let in can't cancel: it is told in time, and tries again (A14).
    unlessSilent(identify(context.models, { cookie: headers.cookie, authorization }, context.now()))
      .then((identity) => {
        if (identity === undefined) {
          throw new RefusalError("unauthenticated");
        }
        identities.set(socket, identity);
        next();
      })
      .catch((error: unknown) => next(refuse(error)));
  });
  ide.on("connection", (socket) => {
    const identity = identities.get(socket);
    if (identity === undefined) {
      return;
    }
    void socket.join(credentialRoom(identity.credential));
    new CodeSession(socket, identity.user, context);
  });
}

async function admitDrone(models: Models, socket: Socket): Promise<DroneAuth["droneId"]> {
  const auth = DroneAuth.safeParse(socket.handshake.auth);
  if (!auth.success) {
    throw new RefusalError("unauthenticated", "The drone sent no credential.");
  }
  agreeOnProtocol(auth.data.protocol);
  const { droneId: _id, credential } = auth.data;
  const known = await models.drones.exists({ _id, credentialHash: bearerHash(credential) });
  if (known === null) {
    throw new RefusalError("unauthenticated", "This drone was revoked. Enrol it again.");
  }
  return _id;
}

function serveDrones(
  drones: DroneNamespace,
  tell: Tell,
  line: SocketLine,
  context: DroneContext,
  helloMs: number,
): DroneSilence {
  const { models, graceMs, log } = context;
  const told = (drone: StoredDrone): void => {
    const shown = droneToWire(drone, drone.owner, context.now(), graceMs);
    tell(userRoom(drone.owner), "droneChanged", { drone: shown });
  };
  const silence = new DroneSilence({
    read: async (_id) => (await models.drones.findById(_id).lean<StoredDrone>()) ?? undefined,
    tell: told,
    now: () => context.now(),
    log,
  });
  const ids = new WeakMap<DroneSocket, DroneAuth["droneId"]>();
  drones.use((socket, next) => {
    admitDrone(context.models, socket)
      .then((droneId) => {
        ids.set(socket, droneId);
        next();
      })
      .catch((error: unknown) => next(refuse(error)));
  });
  drones.on("connection", (socket) => {
    const droneId = ids.get(socket);
    if (droneId === undefined) {
      return;
    }
    void socket.join(droneRoom(droneId));
    // One that says nothing would hold its connection for ever.
    const patience = setTimeout(() => socket.disconnect(true), helloMs);
    socket.on("disconnect", () => {
      clearTimeout(patience);
      line.disconnect(droneId, socket);
    });
    new DroneSession(socket, droneId, context, {
      onHello() {
        clearTimeout(patience);
        line.connect(droneId, socket);
      },
      onChange: (drone) => {
        told(drone);
        silence.heard(drone);
      },
    });
  });
  return silence;
}
