import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RefusalError, WorkOrder } from "@gadget/api";
import { pino } from "pino";
import { DroneProcess } from "../../src/drone-process.ts";
import type { Settings } from "../../src/settings.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { credential, droneId, TestServer } from "./test-server.ts";

/** A drone in this process, a server and a model, each over its real connection. */
export class TestDrone {
  server: TestServer;
  readonly model: ScriptedModel;
  readonly folder: string;
  readonly drone: DroneProcess;
  readonly refusals: RefusalError[];

  private constructor(
    server: TestServer,
    model: ScriptedModel,
    folder: string,
    drone: DroneProcess,
    refusals: RefusalError[],
  ) {
    this.server = server;
    this.model = model;
    this.folder = folder;
    this.drone = drone;
    this.refusals = refusals;
  }

  static async start(
    settings: Partial<Settings> = {},
    serverOptions: { heartbeatMs?: number } = {},
  ): Promise<TestDrone> {
    const [server, model] = await Promise.all([TestServer.start(), ScriptedModel.start()]);
    Object.assign(server, serverOptions);
    const folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-drone-")));
    const refusals: RefusalError[] = [];
    const drone = await DroneProcess.create({
      settings: testSettings(folder, settings),
      version: "0.0.0",
      log: pino({ level: process.env["GADGET_LOG_LEVEL"] ?? "silent" }, pino.destination(2)),
      onOnline: () => {},
      onRefused: (refusal) => refusals.push(refusal),
    });
    drone.connect(server.url, { server: server.url, droneId, credential });
    await server.greeted();
    return new TestDrone(server, model, folder, drone, refusals);
  }

  /** An order for the scripted model. */
  order(fields: Partial<WorkOrder> = {}): WorkOrder {
    const provider = { kind: "openai" as const, baseUrl: this.model.baseUrl, apiKey: "key-canary" };
    return this.server.order({ provider, ...fields });
  }

  /** Where a project's own folder is. */
  workspace(order: WorkOrder): string {
    return join(this.folder, "workspaces", order.projectId);
  }

  async stop(): Promise<void> {
    await this.drone.stop();
    await Promise.all([this.server.stop(), this.model.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }
}

function testSettings(folder: string, settings: Partial<Settings> = {}): Settings {
  return {
    server: undefined,
    enroll: undefined,
    enrollFile: undefined,
    dataDir: join(folder, "data"),
    name: "test drone",
    host: "test",
    capacity: 4,
    insecure: false,
    underLauncher: false,
    workspaces: join(folder, "workspaces"),
    roots: [{ path: folder, dotFolders: true }],
    innerAddresses: false,
    logLevel: "silent",
    ...settings,
  };
}
