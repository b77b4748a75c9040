import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import {
  type ChatTurn,
  ChatTurn as ChatTurnSchema,
  Drone,
  Project,
  TurnStatus,
  TurnWithTranscript,
} from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { credentialsFile } from "../src/credentials.ts";
import { Stack } from "./support/stack.ts";

let stack: Stack;
let finished: ChatTurn;
beforeAll(async () => {
  stack = await Stack.start();
  await stack.gadget(["run", "hello fast"]);
  finished = await stack.latest();
});
afterAll(() => stack.stop());

const json = (text: string): unknown => JSON.parse(text);

describe("gadget login", () => {
  it("keeps a token that only the user can read, and no password", async () => {
    const file = credentialsFile(stack.env);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, "utf8")).not.toContain("correct horse");
  });

  it("does not show the password while it is typed", async () => {
    const login = stack.onTerminal(["login"]);
    await login.until(/E-mail: /);
    login.type("ada@example.com\n");
    await login.until(/Password: /);
    login.type("wrong password\n");
    expect(await login.exitCode).toBe(1);
    expect(login.screen()).toContain("The email or the password is wrong.");
    expect(login.screen()).not.toContain("wrong password");
  });

  it("takes a token, and refuses one that the server does not know", async () => {
    const env = { XDG_CONFIG_HOME: `${stack.folder}/other` };
    const bad = await stack.gadget(["login", "--server", stack.url, "--token", "nope"], { env });
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain("does not know this token");
    expect((await stack.gadget(["list"], { env })).stderr).toContain("gadget login");
    const { tokens } = json(await readFile(credentialsFile(stack.env), "utf8")) as {
      tokens: Record<string, string>;
    };
    const token = tokens[stack.url] ?? "";
    const good = await stack.gadget(["login", "--server", `${stack.url}/`, "--json"], {
      env: { ...env, GADGET_TOKEN: token },
    });
    expect(json(good.stdout)).toMatchObject({ server: stack.url, user: { role: "owner" } });
    expect((await stack.gadget(["list"], { env })).code).toBe(0);
    const direct = { GADGET_SERVER: stack.url, GADGET_TOKEN: token, XDG_CONFIG_HOME: "/nowhere" };
    expect((await stack.gadget(["list"], { env: direct })).code).toBe(0);
  });

  it("without a terminal asks for a token instead of a password", async () => {
    const { code, stderr } = await stack.gadget(["login"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--token");
  });
});

describe("--json", () => {
  it("prints the wire's own objects", async () => {
    const { id } = finished;
    const drones = json((await stack.gadget(["drones", "--json"])).stdout) as { items: unknown[] };
    expect(Drone.parse(drones.items[0])).toMatchObject({ name: "workshop" });
    const projects = json((await stack.gadget(["--json", "projects"])).stdout) as {
      items: unknown[];
    };
    expect(projects.items.map((project) => Project.parse(project).name)).toContain("Website");
    const list = json((await stack.gadget(["list", "--limit", "1", "--json"])).stdout);
    expect(list).toMatchObject({ items: [{ id }], nextCursor: null });
    const status = json((await stack.gadget(["status", "--json"])).stdout) as { turn: unknown };
    expect(ChatTurnSchema.parse(status.turn)).toEqual(finished);
    const show = TurnWithTranscript.parse(
      json((await stack.gadget(["show", id, "--json"])).stdout),
    );
    expect(show.turn).toEqual(finished);
    expect(show.transcript.parts[0]).toMatchObject({ kind: "text", open: false });
  });

  it("prints a refusal as an object on stderr", async () => {
    const { code, stdout, stderr } = await stack.gadget(["show", "zzzzzzzzzz", "--json"]);
    expect(code).toBe(3);
    expect(stdout).toBe("");
    expect(json(stderr)).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("naming a turn", () => {
  it("takes a prefix of its id, and says where it is not there", async () => {
    const { code, stdout } = await stack.gadget(["status", finished.id.slice(0, 12)]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ finished after /);
    expect(stdout).toContain(finished.id);
    const missing = await stack.gadget(["status", "nosuchturn"]);
    expect(missing).toMatchObject({ code: 3, stdout: "" });
    expect(missing.stderr).toBe('✗ There is no turn "nosuchturn", or it is not yours.\n');
  });

  it("lists the candidates where more than one begins so", async () => {
    const params = { id: finished.sessionId };
    const signal = AbortSignal.timeout(20_000);
    for (const turnId of ["twin-aaaaaaaa", "twin-bbbbbbbb"]) {
      const body = { prompt: `error 401 ${turnId}`, turnId: ChatTurnSchema.shape.id.parse(turnId) };
      await stack.client.request("submitTurn", { params, body, signal });
      await stack.untilStatus(turnId, "error");
    }
    const { code, stderr } = await stack.gadget(["show", "twin"]);
    expect(code).toBe(2);
    expect(stderr).toContain("twin-aaaaa");
    expect(stderr).toContain("error 401 twin-bbbbbbbb");
    expect((await stack.gadget(["show", "twin-a"])).code).toBe(0);
  });
});

describe("gadget list and show", () => {
  it("filters by status, with icons and colours", async () => {
    const colours = { FORCE_COLOR: "1" };
    const { stdout } = await stack.gadget(["list", "--status", "error"], { env: colours });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toContain("\u001B[31m✗\u001B[0m ");
    }
    const plain = await stack.gadget(["list"], { env: { ...colours, NO_COLOR: "1" } });
    expect(plain.stdout).toMatch(/^✓ /m);
    expect(plain.stdout + plain.stderr).not.toContain("\u001B");
  });

  it("prints a turn from the log as it was seen live", async () => {
    const { code, stdout } = await stack.gadget(["show", finished.id]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^> hello fast\n\nI am a script, not an AI/);
    expect(stdout).toMatch(/\n\n✓ finished after /);
    const tail = await stack.gadget(["tail", finished.id]);
    expect(tail.code).toBe(0);
    expect(`> hello fast\n\n${tail.stdout}`).toBe(stdout);
  });
});

describe("a running turn", () => {
  it("is steered, and finishes up when asked", async () => {
    const started = await stack.gadget(["run", "--detach", "ask me a question, fast"]);
    expect(started.code).toBe(0);
    const id = started.stdout.trim();
    const { sessionId } = await stack.untilTurn(id, ({ waitingFor }) => waitingFor === "question");
    const busy = await stack.gadget(["run", "hello", "--session", sessionId]);
    expect(busy.code).toBe(4);
    expect(busy.stderr).toMatch(/A turn is running in this session/);
    const steer = await stack.gadget(["steer", "Mind the kettle", "--json"]);
    expect(json(steer.stdout)).toMatchObject({
      message: { mode: "steer", text: "Mind the kettle" },
    });
    const finish = await stack.gadget(["finish", id.slice(0, 9), "--json"]);
    expect(json(finish.stdout)).toMatchObject({ turn: { id } });
    expect(json((await stack.gadget(["answer", id, "3", "--json"])).stdout)).toEqual({ ok: true });
    await stack.untilStatus(id, "finished");
    expect((await stack.gadget(["finish", id])).code).toBe(4);
    expect((await stack.gadget(["show", id])).stdout).toContain("answered by Owner: Just water");
  });

  it("is cancelled without an id: the latest one that runs", async () => {
    const { stdout } = await stack.gadget(["run", "--detach", "tell me a long story", "--json"]);
    const { turn } = json(stdout) as { turn: ChatTurn };
    await stack.untilStatus(turn.id, "processing");
    const { code, stdout: said } = await stack.gadget(["cancel"]);
    expect(code).toBe(0);
    expect(said).toMatch(/^⊘ aborted by Owner after .*\n {2}Stopped in /);
    expect((await stack.turn(turn.id)).status).toBe("aborted");
    const none = await stack.gadget(["cancel"]);
    expect(none).toMatchObject({ code: 3, stderr: "✗ No turn is running.\n" });
    const late = await stack.gadget(["cancel", turn.id]);
    expect(late.code).toBe(4);
    expect(late.stderr).toContain("the turn is aborted");
  });

  it("can be left by who follows it with tail, and goes on", async () => {
    const { stdout } = await stack.gadget(["run", "--detach", "tell me a long story"]);
    const tail = stack.start(["tail", stdout.trim()]);
    await tail.until(/Once a year/);
    tail.interrupt();
    expect((await tail.end()).code).toBe(130);
    expect((await stack.turn(stdout)).status).toBe("processing");
    expect(json((await stack.gadget(["cancel", "--json"])).stdout)).toMatchObject({
      turn: { status: "aborted" },
    });
  });
});

describe("what can go wrong", () => {
  it("is a sentence and exit code 2 for a wrong command line", async () => {
    for (const args of [["lsit"], ["show"], ["list", "--status", "odd"], ["run"], ["run", " "]]) {
      const { code, stdout, stderr } = await stack.gadget(args);
      expect(code, args.join(" ")).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).not.toMatch(/\n {4}at /);
    }
    const { stderr } = await stack.gadget(["list", "--status", "odd"]);
    for (const status of TurnStatus.options) {
      expect(stderr).toContain(status);
    }
  });

  it("says so when nobody answers, when it is another server, and when the file is damaged", async () => {
    const nobody = await stack.gadget(["list", "--server", "http://127.0.0.1:9", "--token", "t"]);
    expect(nobody.code).toBe(1);
    expect(nobody.stderr).toMatch(/^✗ http:\/\/127\.0\.0\.1:9 does not answer\. .*\n$/);

    const other = createServer((_req, res) => void res.writeHead(404).end("<html>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const wrong = await stack.gadget(["list", "--server", url, "--token", "t"]);
    other.close();
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("is not a Gadget Code server");

    const env = { XDG_CONFIG_HOME: `${stack.folder}/other` };
    await writeFile(credentialsFile(env), "{");
    const damaged = await stack.gadget(["list"], { env });
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toMatch(/^✗ .*credentials\.json is damaged: .*\n$/);
  });

  it("has help with an example for every command", async () => {
    const all = await stack.gadget(["--help"]);
    expect(all.code).toBe(0);
    const commands = /\nCommands:\n([^]*?)\n\n/.exec(all.stdout)?.[1] ?? "";
    const names = [...commands.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name);
    expect(names).toHaveLength(14);
    for (const name of names.filter((one) => one !== "help")) {
      const help = await stack.gadget(["help", name]);
      expect(help.code).toBe(0);
      expect(help.stdout, name).toMatch(/Examples?:\n {2}\$ gadget /);
      expect(help.stdout, name).toContain("--json");
    }
  });
});
