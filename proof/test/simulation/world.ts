import { DroneId, newId, ProjectId, ProviderId, SessionId, TurnId, UserId } from "@gadget/api";
import type { Models } from "../../../gadget-code/src/models/models.ts";
import { abort } from "../../../gadget-code/src/turns/abort.ts";
import { forceStop } from "../../../gadget-code/src/turns/force-stop.ts";
import { submit } from "../../../gadget-code/src/turns/submit.ts";
import type { Disk } from "./memory-logs.ts";
import { Record } from "./record.ts";
import { startDrone } from "./simulated-drone.ts";
import { SimulatedServer } from "./simulated-server.ts";
import { WireEnd } from "./wire.ts";
import { type ProcessClock, WorldClock } from "./world-clock.ts";

const graceMs = 60_000;
const redialMs = 500;

/** What can happen to a world. Numbers choose among what is there. */
export type Deed =
  | { do: "submit" | "abort" | "force"; session: number }
  | { do: "cut" | "killDrone" }
  | { do: "stall"; ms: number }
  | { do: "stopDrone"; ms: number }
  | { do: "killServer"; after: number; downMs: number }
  | { do: "twice" };

/** Server, drone and network of one history, in a database that it shares with other histories. */
export class World {
  readonly record: Record;
  readonly #models: Models;
  readonly #clock = new WorldClock();
  readonly #random: () => number;
  readonly #owner = newId(UserId);
  readonly #droneId = newId(DroneId);
  readonly #sessions = [newId(SessionId), newId(SessionId)];
  readonly #disk: Disk = new Map();
  #server: SimulatedServer | undefined;
  #droneClock: ProcessClock | undefined;
  #wire: WireEnd | undefined;
  #repeat = 0;

  constructor(models: Models, random: () => number) {
    this.#models = models;
    this.#random = random;
    this.record = new Record(() => this.#clock.now());
  }

  async begin(): Promise<void> {
    const createdAt = new Date(0);
    const own = { owner: this.#owner, createdAt };
    const providerId = newId(ProviderId);
    const [droneId, models] = [this.#droneId, this.#models];
    const user = { email: `${this.#owner}@example.com`, role: "owner", passwordHash: "x" } as const;
    await models.users.create([{ _id: this.#owner, name: "Olive", ...user, createdAt }]);
    const provider = { name: "demo", kind: "demo", shared: false } as const;
    await models.providers.create([{ _id: providerId, ...provider, ...own }]);
    const drone = { name: "d", credentialHash: "x", host: "h", labels: [], shared: false };
    const state = { local: false, draining: false, capacity: 4, running: 0 };
    await models.drones.create([{ _id: droneId, ...drone, ...state, ...own }]);
    for (const _id of this.#sessions) {
      const projectId = newId(ProjectId);
      const source = { kind: "empty" } as const;
      await models.projects.create([
        { _id: projectId, name: "p", source, environment: [], ...own },
      ]);
      const session = { title: "s", titled: true, approval: "auto" as const, allowed: [] };
      const place = { projectId, droneId, providerId, model: "demo", updatedAt: createdAt };
      await models.sessions.create([{ _id, ...session, ...place, ...own }]);
    }
    this.#startServer();
    await this.#startDrone();
    await this.pass(1_000);
  }

  /** Lets the time go on; between two moments everything comes to rest. */
  async pass(ms: number): Promise<void> {
    const end = this.#clock.now() + ms;
    for (;;) {
      await this.#rest();
      const next = this.#clock.next();
      if (next === undefined || next > end) {
        break;
      }
      this.#clock.advance(next - this.#clock.now());
    }
    this.#clock.advance(end - this.#clock.now());
    await this.#rest();
  }

  perform(deed: Deed): void {
    switch (deed.do) {
      case "submit":
        return this.#submit(deed.session);
      case "abort":
      case "force":
        return this.#abort(deed.session, deed.do === "force");
      case "cut":
        return this.#wire?.disconnect();
      case "stall":
        this.#wire?.stall(deed.ms);
        return this.#wire?.peer?.stall(deed.ms);
      case "twice":
        this.#repeat += 2;
        return undefined;
      case "killDrone":
        return this.#killDrone();
      case "stopDrone":
        return this.#stopDrone(deed.ms);
      case "killServer":
        return this.#killServer(deed.after, deed.downMs);
    }
  }

  /** Everybody is well again, and there is time enough for every grace. */
  async heal(): Promise<void> {
    this.#repeat = 0;
    for (let look = 0; look < 100; look += 1) {
      await this.pass(3_000);
      if (this.#droneClock?.isStopped === true) {
        continue;
      }
      const { turns } = this.#models;
      const open = await turns.find({ owner: this.#owner }, { unsettled: 1, unlogged: 1 }).lean();
      if (!open.some(({ unsettled, unlogged }) => unsettled ?? unlogged)) {
        break;
      }
    }
    await this.pass(this.record.works.some(({ isRunning }) => isRunning) ? graceMs : 1_000);
  }

  async verify(): Promise<string[]> {
    return this.record.violations(this.#models, this.#owner);
  }

  async end(): Promise<void> {
    this.#server?.die();
    if (this.#droneClock !== undefined) {
      this.#droneClock.isDead = true;
    }
    const own = { owner: this.#owner };
    const { turns, batches, drones } = this.#models;
    await Promise.all([turns.deleteMany(own), batches.deleteMany(own), drones.deleteMany(own)]);
  }

  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      const answered = this.#server?.life.quiet();
      await (answered ?? new Promise((resolve) => setImmediate(resolve)));
      quiet = answered === undefined ? quiet + 1 : 0;
    }
    const server = this.#server;
    if (server?.life.isOver === true && !server.clock.isDead) {
      server.die();
    }
  }

  #startServer(): void {
    const clock = this.#clock.process();
    const { record } = this;
    this.#server = new SimulatedServer(this.#models, clock, record.publisher(), graceMs);
  }

  #killServer(after: number, downMs: number): void {
    const server = this.#server;
    if (server === undefined || server.life.isOver) {
      return;
    }
    server.life.left = after;
    this.#clock.after(downMs, () => {
      server.die();
      this.#startServer();
    });
  }

  async #startDrone(): Promise<void> {
    const clock = this.#clock.process();
    this.#droneClock = clock;
    await startDrone({
      droneId: this.#droneId,
      clock,
      disk: this.#disk,
      spread: this.#random,
      script: () => ({
        steps: Math.floor(this.#random() * 12),
        stepMs: 20 + Math.floor(this.#random() * 400),
        fails: this.#random() < 0.2,
        stoppingMs: Math.floor(this.#random() * 300),
      }),
      onTurn: (turn) => this.record.works.push(turn),
      dial: (process) => this.#dial(process),
    });
  }

  /** A drone's end of a wire that is dialled again whenever it was cut. */
  #dial(process: ProcessClock): WireEnd {
    const hooks = {
      latency: () => 1 + Math.floor(this.#random() * 40),
      // A drone says hello once a connection: that one is never repeated.
      twice: (event: string) => event !== "hello" && this.#repeat > 0 && (this.#repeat -= 1) >= 0,
      seen: (event: string, args: unknown[]) => this.record.sent(event, args),
    };
    const end = new WireEnd(this.#clock, process, hooks);
    end.connected = false;
    const connect = () => {
      const server = this.#server;
      if (end.connected || process.isDead) {
        return;
      }
      if (server === undefined || server.clock.isDead) {
        process.after(redialMs, connect);
        return;
      }
      const other = new WireEnd(this.#clock, server.clock, hooks);
      end.peer = other;
      other.peer = end;
      end.connected = true;
      this.#wire = end;
      server.accept(this.#droneId, other);
      end.tell("connect");
    };
    end.on("disconnect", () => process.after(redialMs, connect));
    process.after(1, connect);
    return end;
  }

  #killDrone(): void {
    if (this.#droneClock === undefined) {
      return;
    }
    this.record.mayBeLost = true;
    this.#droneClock.isDead = true;
    this.#wire?.disconnect();
    void this.#startDrone();
  }

  #stopDrone(ms: number): void {
    const clock = this.#droneClock;
    if (clock === undefined || clock.isStopped) {
      return;
    }
    if (ms > graceMs / 2) {
      this.record.mayBeLost = true;
    }
    clock.isStopped = true;
    this.#clock.after(ms, () => clock.wake());
  }

  #submit(session: number): void {
    const server = this.#server;
    const sessionId = this.#sessions[session % this.#sessions.length];
    if (server === undefined || server.life.isOver || sessionId === undefined) {
      return;
    }
    const turnId = newId(TurnId);
    this.record.turns.push({ turnId, sessionId, asked: false });
    submit(server.context, this.#owner, sessionId, { turnId, prompt: "go" }).catch(
      (error: unknown) => this.record.refused(error),
    );
  }

  #abort(session: number, force: boolean): void {
    const server = this.#server;
    const sessionId = this.#sessions[session % this.#sessions.length];
    const turn = this.record.turns.findLast((known) => known.sessionId === sessionId);
    if (server === undefined || server.life.isOver || turn === undefined) {
      return;
    }
    turn.asked = true;
    turn.forced ||= force;
    const by = { id: this.#owner, name: "Olive" };
    const mine = { owner: this.#owner };
    const asked: Promise<unknown> = force
      ? forceStop(server.context, turn.turnId, by, async () => mine)
      : abort(server.context, turn.turnId, by, async () => mine);
    asked.catch((error: unknown) => this.record.refused(error));
  }
}
