import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RefusalError, WorkOrder } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { ScriptedModel } from "@gadget/testing/scripted-model";
import { pino } from "pino";
import { DroneProcess } from "../../src/drone-process.ts";
import type { Credential } from "../../src/link/credential.ts";
import type { Settings } from "../../src/settings.ts";
import type { DroneTool } from "../../src/tools/tool-context.ts";
import type { OrderServer } from "./order-server.ts";
import type { RealServer } from "./real-server.ts";
import { credential, droneId, TestServer } from "./test-server.ts";

/** What a test's drone has beside its settings. */
interface Extras {
  /** Tools beside the drone's own. */
  tools?: readonly DroneTool[];
}

let realServer: RealServer | undefined;

/** From now on the drones of this test file work for the real server. */
export function useRealServer(server: RealServer): void {
  realServer = server;
}

/** Whether the tests run on the real server: what only its double can do is left out. */
export const onRealServer = () => realServer !== undefined;

/** A drone at whichever server this run of the suite is about. */
export async function startTestDrone(
  settings: Partial<Settings> = {},
): Promise<TestDrone<OrderServer>> {
  if (realServer === undefined) {
    return TestDrone.start(settings);
  }
  const server = realServer;
  const test = await TestDrone.create(server, settings);
  test.drone.connect(server.url, await server.enrol("test drone"));
  await eventually("the drone is online", () => server.isOnline());
  return test;
}

/** A drone in this process, a server and a model, each over its real connection. */
export class TestDrone<Server extends OrderServer = TestServer> {
  server: Server;
  readonly model: ScriptedModel;
  readonly folder: string;
  readonly drone: DroneProcess;
  readonly refusals: RefusalError[];
  /** What the drone has logged, one line of JSON each. */
  readonly logs: string[];

  private constructor(
    server: Server,
    model: ScriptedModel,
    folder: string,
    drone: DroneProcess,
    refusals: RefusalError[],
    logs: string[],
  ) {
    this.server = server;
    this.model = model;
    this.folder = folder;
    this.drone = drone;
    this.refusals = refusals;
    this.logs = logs;
  }

  static async start(
    settings: Partial<Settings> = {},
    serverOptions: { heartbeatMs?: number } = {},
    extras: Extras = {},
  ): Promise<TestDrone> {
    const server = await TestServer.start();
    Object.assign(server, serverOptions);
    const test = await TestDrone.create(server, settings, extras);
    const own: Credential = { server: server.url, droneId, credential };
    test.drone.connect(server.url, own);
    await server.greeted();
    return test;
  }

  /** Not connected yet. */
  static async create<Server extends OrderServer>(
    server: Server,
    settings: Partial<Settings>,
    extras: Extras = {},
  ): Promise<TestDrone<Server>> {
    const model = await ScriptedModel.start();
    const folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-drone-")));
    const refusals: RefusalError[] = [];
    const logs: string[] = [];
    const drone = await DroneProcess.create({
      settings: testSettings(folder, settings),
      version: "0.0.0",
      log: pino({ level: "warn" }, { write: (line: string) => void logs.push(line) }),
      onOnline: () => {},
      onRefused: (refusal) => refusals.push(refusal),
      ...extras,
    });
    return new TestDrone(server, model, folder, drone, refusals, logs);
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
    const shared: OrderServer = this.server;
    if (shared !== realServer) {
      await shared.stop();
    }
    await this.model.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
/** What a drone of a test has on this machine: everything in one folder. */
export function testSettings(folder: string, settings: Partial<Settings> = {}): Settings {
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
    proxy: undefined,
    innerAddresses: false,
    supervisor: "auto",
    logLevel: "silent",
    ...settings,
  };
}
