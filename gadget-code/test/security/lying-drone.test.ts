import type { Hello } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";

let server: TestServer;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.member);
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

const abilities = { git: true, ripgrep: true, supervisor: "subreaper", platform: "linux" } as const;

/** Where each stands on somebody's screen. */
const shown: Record<string, (text: string) => Partial<Hello>> = {
  version: (version) => ({ version }),
  host: (host) => ({ host }),
  root: (root) => ({ roots: ["/srv", root] }),
  platform: (platform) => ({ abilities: { ...abilities, platform } }),
};
const marks = { "a line break": "\n", "a control": "\u001B[2J", "a turned direction": "\u202E" };

describe("a drone that says of itself what is no plain line", () => {
  for (const [what, say] of Object.entries(shown)) {
    for (const [kind, mark] of Object.entries(marks)) {
      it(`is not believed its ${what} with ${kind}`, async () => {
        const said = say(`nice${mark}one`);
        await expect(drone.greet([], 5_000, said)).rejects.toMatchObject({ code: "invalid" });
        const { drone: stored } = await server.member.ask("getDrone", {
          params: { id: drone.id },
        });
        expect(stored).toMatchObject({ host: "scripted", roots: ["/srv"], abilities });
      });
    }
  }

  it.each(Object.entries(marks))(
    "can't be enrolled with %s in its name or host",
    async (_, mark) => {
      const { code } = await server.member.ask("createEnrollment");
      const name = `nice${mark}one`;
      for (const wrong of [{ name }, { host: name }]) {
        const body = { code, name: "plain", host: "plain", ...wrong };
        const refusal = await server.member.refusal("enrollDrone", { body });
        expect(refusal?.code).toBe("invalid");
      }
    },
  );
});
