import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { InstanceId, newId, type RefusalError } from "@gadget/api";
import type { Logger } from "pino";
import { type Clock, monotonicClock } from "./clock.ts";
import { GadgetDrone } from "./gadget-drone.ts";
import { KnownModels } from "./history/model-window.ts";
import type { Credential } from "./link/credential.ts";
import { Lease } from "./link/lease.ts";
import { tunnelTo } from "./link/outbound-proxy.ts";
import { Outboxes } from "./link/outboxes.ts";
import { ServerHistory } from "./link/server-history.ts";
import { ServerTime } from "./link/server-time.ts";
import { lockDataFolder } from "./lock-data-folder.ts";
import { KeptOutputs } from "./outputs/kept-outputs.ts";
import { ownTools } from "./own-tools.ts";
import { Problem } from "./problem.ts";
import { BackgroundRegistry } from "./process/background-registry.ts";
import { userPath } from "./process/command-environment.ts";
import { findProgram } from "./process/find-program.ts";
import { findShell } from "./process/find-shell.ts";
import { supervisorCapability } from "./process/supervisor-capability.ts";
import { createRequests } from "./requests/requests.ts";
import { AgentService } from "./services/agent.ts";
import { Demo } from "./services/demo.ts";
import type { Settings } from "./settings.ts";
import type { DroneTool } from "./tools/tool-context.ts";
import { AsideFiles } from "./workspace/aside-files.ts";
import { ChangeStore } from "./workspace/changes/change-store.ts";
import { Clones } from "./workspace/open/clones.ts";
import { Roots } from "./workspace/roots.ts";

export interface DroneProcessOptions {
  settings: Settings;
  version: string;
  log: Logger;
  clock?: Clock;
  /** Beside the drone's own. */
  tools?: readonly DroneTool[];
  onOnline: () => void;
  onBeat?: () => void;
  onRefused: (refusal: RefusalError) => void;
}

const stopMs = 2_000;

/** A drone with all its parts, as one process has it; it lives longer than any connection. */
export class DroneProcess {
  readonly #options: DroneProcessOptions;
  readonly #instanceId = newId(InstanceId);
  readonly #parts: Parts;
  #drone: GadgetDrone | undefined;
  #server: string | undefined;

  private constructor(options: DroneProcessOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  static async create(options: DroneProcessOptions): Promise<DroneProcess> {
    return new DroneProcess(options, await makeParts(options));
  }

  get running(): number {
    return this.#parts.agent.running;
  }

  connect(server: string, credential: Credential): void {
    if (server === this.#server && this.#drone?.isConnected === true) {
      return;
    }
    this.#server = server;
    this.#drone?.disconnect();
    const { settings, version, log, onOnline, onBeat = () => {}, onRefused } = this.#options;
    const { host, capacity, proxy } = settings;
    this.#drone = new GadgetDrone({
      ...this.#parts,
      credential,
      instanceId: this.#instanceId,
      version,
      host,
      capacity,
      roots: this.#parts.roots.paths,
      log,
      tunnel: (url) => tunnelTo(url, proxy),
      onOnline,
      onBeat,
      onRefused,
    });
    this.#drone.connect(server);
  }

  /** Lets the turns come to their end; what takes longer is handed back. Then everything ends. */
  async drain(limitMs: number): Promise<void> {
    const draining = this.#parts.agent.end(limitMs);
    this.#drone?.announceDraining();
    await draining;
    await this.stop();
  }

  /** Ends all work now, sends what was said, and closes the connection. */
  async stop(): Promise<void> {
    const { agent, background, clones, demo, outboxes, clock, unlock } = this.#parts;
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(stopMs, resolve);
    });
    const work = [agent.stop(), background.stopAll(), clones.stopAll()];
    await Promise.race([Promise.all(work), late]);
    cancel();
    outboxes.flush();
    await outboxes.written();
    this.#drone?.disconnect();
    await demo.close();
    await unlock();
  }
}

type Parts = Awaited<ReturnType<typeof makeParts>>;

async function makeParts(options: DroneProcessOptions) {
  const { settings, log, clock = monotonicClock } = options;
  const { dataDir, capacity, innerAddresses, proxy } = settings;
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(() => {
    throw new Problem(`The data folder ${dataDir} can't be made: choose another --data.`);
  });
  const unlock = await lockDataFolder(dataDir);
  await rm(join(dataDir, "tmp"), { recursive: true, force: true });
  const path = userPath(process.env["PATH"] ?? "");
  const [capability, git, ripgrep, commandShell, roots] = await Promise.all([
    supervisorCapability(settings.supervisor),
    findProgram("git", path),
    findProgram("rg", path),
    findShell(path),
    Roots.open(settings.workspaces, settings.roots),
  ]);
  const lease = new Lease(clock);
  const time = new ServerTime(clock);
  const onError = (error: unknown) => log.error({ err: error }, "The outbox can't be written");
  const outboxes = new Outboxes({ dataDir, clock, lease, time, onError });
  await outboxes.readTails();
  const history = new ServerHistory();
  const background = new BackgroundRegistry(() => time.instant());
  const changeStore = new ChangeStore(dataDir);
  const asides = new AsideFiles(dataDir);
  await asides.sweep();
  void changeStore.prune(Date.now()).catch(onError);
  const outputs = new KeptOutputs(dataDir);
  void outputs.prune(Date.now()).catch(onError);
  const demo = new Demo();
  const hasGit = git !== undefined;
  const shared = { dataDir, hasGit, roots, changeStore, asides, background, outputs, demo, proxy };
  const agent = new AgentService({
    ...shared,
    tools: [...ownTools(commandShell), ...(options.tools ?? [])],
    knownModels: new KnownModels(),
    ripgrep,
    innerAddresses,
    capacity,
    clock,
    lease,
    outboxes,
    history,
    log,
  });
  const abilities = {
    git: hasGit,
    ripgrep: ripgrep !== undefined,
    supervisor: capability.supervisor,
    platform: process.platform,
    compacts: true,
  };
  const clones = new Clones(roots);
  const requests = createRequests({ ...shared, clones, log });
  const parts = {
    clock,
    lease,
    time,
    outboxes,
    history,
    background,
    clones,
    demo,
    agent,
    abilities,
  };
  return { ...parts, requests, roots, unlock };
}
