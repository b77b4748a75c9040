import {
  ApprovalId,
  ask,
  type Hello,
  ideCommands,
  MessageId,
  newId,
  QuestionId,
  type TurnEvent,
  type TurnId,
} from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTurn } from "../http/start-turn.ts";
import { openPage } from "../page.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";

let server: TestServer;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await startServer();
  const done = () => ({});
  drone = await connectDrone(server, server.member, {
    orders: { answerApproval: done, answerQuestion: done, deliverMessage: done },
  });
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

describe("a drone that says who did what", () => {
  const member = () => ({ id: server.member.user.id, name: server.member.user.name });
  const approval = { approvalId: newId(ApprovalId), name: "shell", command: "ls" };
  const question = { questionId: newId(QuestionId), question: "Which one?" };

  async function lastOf(turnId: TurnId): Promise<TurnEvent | undefined> {
    const { items } = await server.member.ask("listEvents", { params: { id: turnId } });
    return items.at(-1);
  }

  it("is not believed that a person allowed, answered, wrote or stopped anything", async () => {
    const { turn } = await startTurn(server.member, drone);
    await drone.send(turn.id, { type: "approval:open", ...approval });
    await drone.send(turn.id, { type: "question:open", ...question });
    const by = { id: server.owner.user.id, name: server.owner.user.name };
    const { approvalId } = approval;
    const { questionId } = question;
    const messageId = newId(MessageId);
    for (const liar of [by, member(), { ...member(), name: "The owner" }]) {
      for (const event of [
        { type: "approval:closed", approvalId, decision: "once", by: liar },
        { type: "question:closed", questionId, answer: "all", by: liar },
        { type: "message:queued", messageId, text: "go", by: liar },
        { type: "message:steered", messageId, text: "go", by: liar },
        { type: "turn:changed", status: "processing", abortedBy: liar },
      ] as const) {
        await drone.send(turn.id, event);
        const stored = await lastOf(turn.id);
        expect(stored?.type).toBe(event.type);
        expect(stored).not.toHaveProperty("by");
        expect(stored).not.toHaveProperty("abortedBy");
      }
    }
    await drone.complete(turn.id, true);
  });

  it("is not believed another decision than the one that the person made", async () => {
    const { turn } = await startTurn(server.member, drone);
    await drone.send(turn.id, { type: "approval:open", ...approval });
    const { approvalId } = approval;
    await server.member.ask("answerApproval", {
      params: { id: turn.id, approvalId },
      body: { decision: "deny", reason: "no" },
    });
    const closed = { type: "approval:closed", approvalId } as const;
    await drone.send(turn.id, { ...closed, decision: "once", by: member() });
    expect(await lastOf(turn.id)).not.toHaveProperty("by");
    const by = { ...member(), name: "The owner" };
    await drone.send(turn.id, { ...closed, decision: "deny", reason: "no", by });
    expect(await lastOf(turn.id)).toMatchObject({ decision: "deny", by: member() });
    await drone.complete(turn.id, true);
  });

  it("is believed what a person said over REST and over a socket", async () => {
    const { turn } = await startTurn(server.member, drone);
    const turnId = turn.id;
    const { questionId } = question;
    await drone.send(turnId, { type: "question:open", ...question });
    await server.member.ask("answerQuestion", {
      params: { id: turnId, questionId },
      body: { answer: "both" },
    });
    await drone.send(turnId, { type: "question:closed", questionId, answer: "both" });
    expect(await lastOf(turnId)).toMatchObject({ answer: "both", by: member() });

    const page = await openPage(server.url, server.member);
    const steer = { turnId, messageId: newId(MessageId), text: "be brief", mode: "steer" } as const;
    await ask(page.socket, ideCommands, "sendMessage", [steer], 5_000);
    const { messageId, text } = steer;
    for (const type of ["message:queued", "message:steered"] as const) {
      await drone.send(turnId, { type, messageId, text });
      expect(await lastOf(turnId)).toMatchObject({ text, by: member() });
    }
    const decision = { turnId, approvalId: approval.approvalId, decision: "session" } as const;
    await ask(page.socket, ideCommands, "answerApproval", [decision], 5_000);
    const { approvalId } = approval;
    await drone.send(turnId, { type: "approval:closed", approvalId, decision: "session" });
    expect(await lastOf(turnId)).toMatchObject({ decision: "session", by: member() });
    page.close();
    await drone.complete(turnId, true);
  });
});
