import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

// The launcher runs as a process of its own, with children whose few lines stand in each test.
const runner = `
  import { launch } from ${JSON.stringify(new URL("./launch.mjs", import.meta.url).href)};
  import { runMain } from ${JSON.stringify(new URL("../shared/problem.mjs", import.meta.url).href)};
  await runMain(() => launch(JSON.parse(process.argv[1])));
`;

const notesItsPid = `
  import { appendFileSync } from "node:fs";
  const note = (text) => appendFileSync(process.env.NOTES, text + "\\n");
  note("pid " + process.env.NAME + " " + process.pid + " " + process.argv.slice(2).join(" "));
`;
const behaves = `
  process.on("disconnect", () => process.exit(0));
  process.on("message", (m) => { note(process.env.NAME + " got " + JSON.stringify(m)); });
  process.on("message", (m) => { if (m.type === "stop") process.exit(0); });
  setInterval(() => {}, 1000);
`;
const ready = `process.send({ type: "ready", url: "http://127.0.0.1:1" });`;

let folder: string;
const launchers: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "launcher-"));
});

afterEach(async () => {
  for (const launcher of launchers.splice(0)) {
    launcher.kill("SIGKILL");
  }
  for (const pid of await pids()) {
    if (await isRunning(pid)) {
      process.kill(pid, "SIGKILL");
    }
  }
  await rm(folder, { recursive: true, force: true });
});

interface Fake {
  server: string;
  drone?: string;
  firstArgs?: string[];
}

async function startLauncher(fake: Fake) {
  const spec = async (name: string, code: string) => {
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, notesItsPid + code);
    return {
      name,
      file,
      args: ["--steady"],
      env: { ...process.env, NAME: name, NOTES: join(folder, "notes") },
    };
  };
  const options = {
    dataDir: join(folder, "data"),
    server: { ...(await spec("server", fake.server)), firstArgs: fake.firstArgs ?? [] },
    drone: fake.drone === undefined ? undefined : await spec("drone", fake.drone),
    restartPolicy: { firstDelayMs: 5, longestDelayMs: 20, steadyAfterMs: 5000, tries: 3 },
  };
  const launcher = spawn(
    process.execPath,
    ["--input-type=module", "-e", runner, JSON.stringify(options)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  launchers.push(launcher);
  const run = { process: launcher, output: "", exit: exitOf(launcher) };
  launcher.stdout.on("data", (text) => (run.output += String(text)));
  launcher.stderr.on("data", (text) => (run.output += String(text)));
  return run;
}

function exitOf(process: ChildProcess) {
  return new Promise<number | null>((resolve) => {
    process.on("close", (code) => resolve(code));
  });
}

async function until(what: string, condition: () => Promise<boolean> | boolean) {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`never happened: ${what}`);
    }
    await sleep(10);
  }
}

async function notes() {
  return (await readFile(join(folder, "notes"), "utf8").catch(() => "")).split("\n");
}

async function pids(name = "") {
  return (await notes())
    .filter((line) => line.startsWith(`pid ${name}`))
    .map((line) => Number(line.split(" ")[2]));
}

/** A process that has ended but was not yet collected by its parent does not count as running. */
async function isRunning(pid: number) {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (status !== undefined) {
    return !/\) Z /.test(status);
  }
  if (existsSync("/proc/self")) {
    return false;
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const expectNoneLeft = () =>
  until("all children gone", async () => {
    const running = await Promise.all((await pids()).map(isRunning));
    return !running.includes(true);
  });

const bothRun = (drones = 1) =>
  until("both children started", async () => {
    return (await pids("server")).length > 0 && (await pids("drone")).length >= drones;
  });

describe("launcher", () => {
  it("says where the server is, and the set-up link while there is no owner", async () => {
    const run = await startLauncher({
      server: `${behaves} process.send({ type: "ready", url: "http://127.0.0.1:1", setupUrl: "http://127.0.0.1:1/#x" });`,
    });
    await until("both lines", () => run.output.includes("/#x"));
    expect(run.output).toBe(
      "Gadget Code is ready: http://127.0.0.1:1\nIt has no owner yet. Open this link to become its owner: http://127.0.0.1:1/#x\n",
    );
  });

  it("carries an enrolment code from the server to a drone that needs one", async () => {
    await startLauncher({
      server: `${behaves} process.on("message", (m) => {
        if (m.type === "need-enrollment") process.send({ type: "enrollment", code: "c0de", server: "http://127.0.0.1:1" });
      }); ${ready}`,
      drone: `${behaves} process.send({ type: "need-enrollment" });`,
    });
    const wanted = `drone got {"type":"enroll","server":"http://127.0.0.1:1","code":"c0de"}`;
    await until("the code at the drone", async () => (await notes()).includes(wanted));
    expect(await notes()).toContain(`drone got {"type":"server","url":"http://127.0.0.1:1"}`);
  });

  it("starts a child again that dies, without the arguments of the first start", async () => {
    const run = await startLauncher({
      server: `${behaves} ${ready}`,
      drone: behaves,
      firstArgs: ["--reset-owner"],
    });
    await bothRun();
    const [server = 0] = await pids("server");
    const [drone = 0] = await pids("drone");
    process.kill(drone, "SIGKILL");
    await until("a second drone", async () => (await pids("drone")).length === 2);
    process.kill(server, "SIGKILL");
    await until("a second server", () => run.output.includes("Gadget Code is back"));
    expect(await isRunning((await pids("drone"))[1] ?? 0)).toBe(true);
    expect(run.output).toContain("The drone ended (SIGKILL) and is started again.");
    const starts = (await notes()).filter((line) => line.startsWith("pid server"));
    expect(starts.map((line) => line.split(" ").slice(3))).toEqual([
      ["--steady", "--reset-owner"],
      ["--steady"],
    ]);
  });

  it("tells a drone that was started again where the server is", async () => {
    await startLauncher({ server: `${behaves} ${ready}`, drone: behaves });
    const told = async () =>
      (await notes()).filter((line) => line.startsWith(`drone got {"type":"server"`)).length;
    await until("the first drone told", async () => (await told()) === 1);
    process.kill((await pids("drone"))[0] ?? 0, "SIGKILL");
    await until("the second drone told", async () => (await told()) === 2);
  });

  it("gives up a server that dies again and again, and ends the drone", async () => {
    const run = await startLauncher({ server: "process.exit(3);", drone: behaves });
    expect(await run.exit).toBe(1);
    expect(run.output).toContain(
      "The server ended 3 times right after its start (exit code 3) and is not started again",
    );
    expect(await pids("server")).toHaveLength(3);
    await expectNoneLeft();
  });

  it("does not start a server again that says that it would not help", async () => {
    const run = await startLauncher({ server: "process.exit(78);", drone: behaves });
    expect(await run.exit).toBe(1);
    expect(await pids("server")).toHaveLength(1);
    await expectNoneLeft();
  });

  it("keeps the server when the local drone is given up", async () => {
    const run = await startLauncher({ server: `${behaves} ${ready}`, drone: "process.exit(3);" });
    await until("given up", () => run.output.includes("The drone ended 3 times"));
    expect(await isRunning((await pids("server"))[0] ?? 0)).toBe(true);
  });

  it.each(["server", "drone"] as const)("prints the %s's fatal sentence and ends", async (who) => {
    const fatal = `${behaves} process.send({ type: "fatal", message: "Port 4180 is in use: set GADGET_PORT." });`;
    const run = await startLauncher({ server: behaves, drone: behaves, [who]: fatal });
    expect(await run.exit).toBe(1);
    expect(run.output).toBe("Port 4180 is in use: set GADGET_PORT.\n");
    await expectNoneLeft();
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends everything on %s", async (signal) => {
    const run = await startLauncher({ server: `${behaves} ${ready}`, drone: behaves });
    await bothRun();
    run.process.kill(signal);
    expect(await run.exit).toBe(0);
    expect(existsSync(join(folder, "data/launcher.json"))).toBe(false);
    await expectNoneLeft();
    expect(await notes()).toContain(`server got {"type":"stop"}`);
    expect(await notes()).toContain(`drone got {"type":"stop"}`);
  });

  it("takes npm's echo of a Ctrl-C for the same Ctrl-C", async () => {
    const slow = `
      process.on("disconnect", () => process.exit(0));
      process.on("message", (m) => { if (m.type === "stop") setTimeout(() => { note("clean"); process.exit(0); }, 400); });
    `;
    const run = await startLauncher({ server: `${slow} ${ready}` });
    await until("ready", () => run.output.includes("ready"));
    run.process.kill("SIGINT");
    await until("the first one seen", () => run.output.includes("Stopping"));
    run.process.kill("SIGINT");
    expect(await run.exit).toBe(0);
    expect(await notes()).toContain("clean");
  });

  it("kills a child that does not stop, within five seconds", async () => {
    const deaf = `process.on("message", () => {}); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`;
    const run = await startLauncher({ server: `${deaf} ${ready}`, drone: deaf });
    await until("ready", () => run.output.includes("ready"));
    await bothRun();
    const asked = performance.now();
    run.process.kill("SIGINT");
    expect(await run.exit).toBe(0);
    expect(performance.now() - asked).toBeLessThan(5000);
    await expectNoneLeft();
  });

  it("kills at once on a second Ctrl-C", async () => {
    const deaf = `process.on("message", () => {}); setInterval(() => {}, 1000);`;
    const run = await startLauncher({ server: `${deaf} ${ready}`, drone: deaf });
    await until("ready", () => run.output.includes("ready"));
    await bothRun();
    const asked = performance.now();
    run.process.kill("SIGINT");
    // A person's second press comes later than npm's echo of the first one.
    await sleep(350);
    run.process.kill("SIGINT");
    expect(await run.exit).toBe(130);
    expect(performance.now() - asked).toBeLessThan(2500);
    await expectNoneLeft();
  });

  it("takes both children with it when it is killed itself", async () => {
    const run = await startLauncher({ server: `${behaves} ${ready}`, drone: behaves });
    await bothRun();
    run.process.kill("SIGKILL");
    await expectNoneLeft();
  });

  it("ends everything when the npm that started it is killed", async () => {
    const server = join(folder, "server.mjs");
    await writeFile(server, notesItsPid + behaves + ready);
    const env = { ...process.env, NAME: "server", NOTES: join(folder, "notes") };
    const options = {
      dataDir: join(folder, "data"),
      server: { name: "server", file: server, args: [], env },
    };
    const npm = spawn(
      "sh",
      [
        "-c",
        '"$0" --input-type=module -e "$1" "$2"; true',
        process.execPath,
        runner,
        JSON.stringify(options),
      ],
      {
        env: { ...process.env, npm_lifecycle_event: "start" },
        stdio: "ignore",
      },
    );
    launchers.push(npm);
    await until("the server started", async () => (await pids("server")).length === 1);
    npm.kill("SIGKILL");
    await expectNoneLeft();
  });

  it("only says where the one is that runs with the same data folder", async () => {
    const health = createServer((_request, response) => response.end("ok"));
    await new Promise<void>((resolve) => health.listen(0, "127.0.0.1", resolve));
    const address = health.address();
    const port = typeof address === "object" ? address?.port : 0;
    const server = `${behaves} process.send({ type: "ready", url: "http://127.0.0.1:${port}" });`;
    const first = await startLauncher({ server });
    await until("ready", () => first.output.includes("ready"));
    const second = await startLauncher({ server });
    expect(await second.exit).toBe(0);
    expect(second.output).toBe(`Gadget Code is already running: http://127.0.0.1:${port}\n`);
    const third = await startLauncher({ server, firstArgs: ["--reset-owner"] });
    expect(await third.exit).toBe(1);
    expect(third.output).toContain("stop it, then reset its owner");
    expect(await pids("server")).toHaveLength(1);
    health.close();
  });

  it("starts over what a killed launcher left behind", async () => {
    const server = `${behaves} ${ready}`;
    const first = await startLauncher({ server });
    await until("ready", () => existsSync(join(folder, "data/launcher.json")));
    first.process.kill("SIGKILL");
    await expectNoneLeft();
    const second = await startLauncher({ server });
    await until("ready", () => second.output.includes("Gadget Code is ready"));
  });
});
