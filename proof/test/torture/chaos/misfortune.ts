import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TcpProxy } from "@gadget/testing/tcp-proxy";
import { root } from "../../../../packages/cli/test/support/build.ts";
import type { PartProcess } from "../../support/part-process.ts";
import type { Stack } from "../../support/stack.ts";

/** A part of the stack that something can happen to. */
interface Victim {
  name: string;
  process: PartProcess;
  way: TcpProxy | undefined;
  /** A drone waits for its server by itself; the others are up when they are ready. */
  isDrone: boolean;
  move?: () => void;
}

type Way = "kill" | "stop" | "cut" | "stall" | "move";

const ways: Record<string, Way[]> = {
  drone: ["kill", "stop", "cut", "stall", "move"],
  node: ["kill", "stop"],
  redis: ["kill", "stop", "cut"],
  database: ["kill", "stop", "cut"],
};

/** Kills, stops and cuts off parts of a stack, at random, and makes all of it well again. */
export class Misfortune {
  /** What happened and when, for one who reads a failure. */
  readonly log: string[] = [];
  /** Processes that ended by themselves. */
  readonly faults: string[] = [];
  readonly #victims: Victim[];
  readonly #random: () => number;
  readonly #graceMs: number;
  readonly #begunAt = performance.now();
  readonly #suffering = new Map<Victim, Promise<void>>();
  #next: { kind: string; way: Way }[] = [];

  constructor(stack: Stack, random: () => number, graceMs: number) {
    this.#random = random;
    this.#graceMs = graceMs;
    const { nodes, drones, redis, redisWay, database, databaseWay } = stack;
    if (redis === undefined || database === undefined) {
      throw new Error("It needs all parts.");
    }
    this.#victims = [
      ...drones.map((drone, index) => ({
        name: `drone ${index}`,
        process: drone.process,
        way: drone.proxy,
        isDrone: true,
        move: () => {
          drone.node = (drone.node + 1) % nodes.length;
        },
      })),
      ...nodes.map((process, index) => ({
        name: `node ${index}`,
        process,
        way: undefined,
        isDrone: false,
      })),
      { name: "redis", process: redis, way: redisWay, isDrone: false },
      { name: "database", process: database, way: databaseWay, isDrone: false },
    ];
  }

  /** One misfortune after the other; several parts may suffer at once, each of them once. */
  async reign(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await delay(300 + Math.floor(this.#random() * 1_700));
      this.#look();
      const { kind, way } = this.#draw();
      const durationMs = this.#durationOf(way, kind);
      const some = this.#victims.filter(({ name }) => name.startsWith(kind));
      const victim = some[Math.floor(this.#random() * some.length)];
      if (victim === undefined || this.#suffering.has(victim) || isOver()) {
        continue;
      }
      this.#note(`${victim.name}: ${way} for ${durationMs} ms`);
      const suffered = this.#strike(victim, way, durationMs, isOver).finally(() =>
        this.#suffering.delete(victim),
      );
      this.#suffering.set(victim, suffered);
    }
  }

  /** All processes run, all ways are open. */
  async heal(): Promise<void> {
    await Promise.all(this.#suffering.values());
    this.#look();
    for (const { process, way } of this.#victims) {
      process.resume();
      way?.open();
    }
    this.#note("all is well");
  }

  /** For one who reads a failure: what each process said. Gives the folder. */
  async write(seed: number): Promise<string> {
    const folder = join(root, "test-results", `chaos-${seed}`);
    await mkdir(folder, { recursive: true });
    for (const { name, process } of this.#victims) {
      await writeFile(join(folder, `${name.replace(" ", "-")}.log`), process.story);
    }
    return folder;
  }

  /** Every way to suffer comes once before one comes again. */
  #draw(): { kind: string; way: Way } {
    if (this.#next.length === 0) {
      const all = Object.entries(ways).flatMap(([kind, list]) =>
        list.map((way) => ({ kind, way })),
      );
      this.#next = all
        .map((drawn) => ({ drawn, order: this.#random() }))
        .toSorted((a, b) => a.order - b.order)
        .map(({ drawn }) => drawn);
    }
    return this.#next.pop() as { kind: string; way: Way };
  }

  #durationOf(way: Way, kind: string): number {
    const share = this.#random();
    const isLong = this.#random() < 0.3;
    // A drone that is silent past its grace has lost its turns.
    if (kind === "drone" && way !== "kill" && way !== "move" && isLong) {
      return Math.floor(this.#graceMs * (1 + share / 2));
    }
    return way === "move" ? 0 : Math.floor(100 + share * 2_900);
  }

  async #strike(victim: Victim, way: Way, durationMs: number, isOver: () => boolean) {
    const { process, way: connection } = victim;
    if (way === "kill") {
      await process.kill();
    } else if (way === "stop") {
      process.pause();
    } else if (way === "stall") {
      connection?.stall();
    } else {
      connection?.cut();
    }
    if (way === "move") {
      victim.move?.();
    }
    const until = performance.now() + durationMs;
    while (performance.now() < until && !isOver()) {
      await delay(20);
    }
    if (way === "kill") {
      await this.#revive(victim);
    } else if (way === "stop") {
      process.resume();
    } else {
      connection?.open();
    }
  }

  /** A node that can't reach its database or Redis gives up, and is started again by its keeper. */
  async #revive({ process, isDrone, name }: Victim): Promise<void> {
    if (isDrone) {
      process.launch();
      return;
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        await process.start();
        return;
      } catch (error) {
        if (attempt === 12) {
          throw new Error(`${name} does not start`, { cause: error });
        }
        await process.kill();
        await delay(300);
      }
    }
  }

  #look(): void {
    for (const victim of this.#victims) {
      if (this.#suffering.has(victim) || victim.process.isRunning) {
        continue;
      }
      this.faults.push(`${victim.name} ended by itself: ${victim.process.output.slice(-1_500)}`);
      victim.process.launch();
    }
  }

  #note(what: string): void {
    this.log.push(`${((performance.now() - this.#begunAt) / 1_000).toFixed(1)} s  ${what}`);
  }
}
