import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DroneId,
  isSettled,
  newId,
  type Project,
  type ProviderId,
  type SessionId,
  TurnId,
} from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { ScriptedModel } from "@gadget/testing/scripted-model";
import { pino } from "pino";
import { DroneProcess } from "../../../gadget-drone/src/drone-process.ts";
import { testSettings } from "../../../gadget-drone/test/support/test-drone.ts";
import type { Person } from "../person.ts";
import type { TestServer } from "../server.ts";

/** A whole drone of a person, connected to the test's server, and a model that the test scripts. */
export class RealDrone {
  readonly id: DroneId;
  readonly folder: string;
  readonly model: ScriptedModel;
  readonly process: DroneProcess;

  private constructor(id: DroneId, folder: string, model: ScriptedModel, process: DroneProcess) {
    this.id = id;
    this.folder = folder;
    this.model = model;
    this.process = process;
  }

  static async start({ url }: TestServer, person: Person): Promise<RealDrone> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-drone-")));
    const drone = await DroneProcess.create({
      settings: testSettings(folder),
      version: "0.0.0",
      log: pino({ level: "silent" }),
      onOnline: () => {},
      onRefused: () => {},
    });
    const { code } = await person.ask("createEnrollment");
    const body = { code, name: "real", host: "test" };
    const enrolled = await person.ask("enrollDrone", { body });
    const { id } = enrolled.drone;
    drone.connect(url, { server: url, droneId: id, credential: enrolled.credential });
    await eventually("the drone is online", async () => {
      const { items } = await person.ask("listDrones");
      return items.some((each) => each.id === id && each.status === "online");
    });
    return new RealDrone(id, folder, await ScriptedModel.start(), drone);
  }

  /** A project in a folder of its own on this drone. */
  async project(person: Person): Promise<{ project: Project; directory: string }> {
    const directory = join(this.folder, "projects", newId(TurnId));
    await mkdir(directory, { recursive: true });
    const body = { name: "Plain", droneId: this.id, directory };
    return { ...(await person.ask("createProject", { body })), directory };
  }

  async provider(person: Person): Promise<ProviderId> {
    const { baseUrl } = this.model;
    const body = { name: "Scripted", kind: "openai", baseUrl, apiKey: "a-key" } as const;
    return (await person.ask("createProvider", { body })).provider.id;
  }

  async session(person: Person, project: Project): Promise<SessionId> {
    const providerId = await this.provider(person);
    const body = { providerId, model: "scripted", approval: "auto" } as const;
    return (await person.ask("createSession", { params: { id: project.id }, body })).session.id;
  }

  /** Submits a prompt and waits until its turn has settled. */
  async settle(person: Person, sessionId: SessionId, prompt = "Do it."): Promise<TurnId> {
    const params = { id: sessionId };
    const { turn } = await person.ask("submitTurn", { params, body: { prompt } });
    await eventually("the turn settles", async () => {
      const { turn: now } = await person.ask("getTurn", { params: { id: turn.id } });
      return isSettled(now.status);
    });
    return turn.id;
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await this.model.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
