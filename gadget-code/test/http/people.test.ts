import { randomBytes } from "node:crypto";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../page.ts";
import { Person, sendRoute } from "../person.ts";
import { connectDrone } from "../scripted-drone.ts";
import { password, startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

function codeOf(url: string): string {
  const [, code] = /\/invitation#code=([\w-]+)$/.exec(url) ?? [];
  if (code === undefined) {
    throw new Error(`no code in ${url}`);
  }
  return code;
}

describe("an invitation", () => {
  it("lets one person in, once, with a link whose code is only in the fragment", async () => {
    const { owner, url, database } = server;
    const { invitation } = await owner.ask("inviteMember", { body: { email: "Ida@Example.com" } });
    expect(invitation.url.startsWith(`${url}/invitation#code=`)).toBe(true);
    const code = codeOf(invitation.url);
    const stored = JSON.stringify(await database.models.invitations.find().lean());
    expect(stored).not.toContain(code);
    const body = { code, name: "Ida", password };
    const both = await Promise.all([
      sendRoute(url, "acceptInvitation", { body }),
      sendRoute(url, "acceptInvitation", { body }),
    ]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 403]));
    const cookie = both.find(({ ok }) => ok)?.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    const me = await sendRoute(url, "me", { headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect(await me.json()).toMatchObject({ user: { email: "ida@example.com", role: "member" } });
    expect(
      (await owner.refusal("inviteMember", { body: { email: "ida@example.com" } }))?.code,
    ).toBe("conflict");
  });

  it("is dead when it is too old, or when a newer one was made", async () => {
    const { owner, url, database } = server;
    const body = { email: "late@example.com" };
    const first = await owner.ask("inviteMember", { body });
    const second = await owner.ask("inviteMember", { body });
    const accept = (link: string) =>
      sendRoute(url, "acceptInvitation", { body: { code: codeOf(link), name: "Late", password } });
    expect((await accept(first.invitation.url)).status).toBe(403);
    await database.models.invitations.updateOne(body, { $set: { expiresAt: new Date(0) } });
    expect((await accept(second.invitation.url)).status).toBe(403);
  });
});

describe("an open invitation", () => {
  it("says who invites whom, is listed with its end, and can be revoked", async () => {
    const { owner, member, url } = server;
    const { invitation } = await owner.ask("inviteMember", { body: { email: "ina@example.com" } });
    const body = { code: codeOf(invitation.url) };
    const read = await sendRoute(url, "readInvitation", { body });
    expect(await read.json()).toEqual({
      invitation: {
        email: "ina@example.com",
        invitedBy: owner.user.name,
        expiresAt: invitation.expiresAt,
      },
    });
    const { items } = await owner.ask("listInvitations");
    const listed = items.find(({ id }) => id === invitation.id);
    expect(listed).toMatchObject({ email: "ina@example.com", invitedBy: owner.user.name });
    expect(JSON.stringify(items)).not.toContain(body.code);
    const params = { id: invitation.id };
    expect((await member.refusal("deleteInvitation", { params }))?.code).toBe("forbidden");
    await owner.ask("deleteInvitation", { params });
    expect((await sendRoute(url, "readInvitation", { body })).status).toBe(403);
    const account = { ...body, name: "Ina", password };
    expect((await sendRoute(url, "acceptInvitation", { body: account })).status).toBe(403);
    expect((await owner.refusal("deleteInvitation", { params }))?.code).toBe("not_found");
  });

  it("is followed by an account that knows whom to ask", async () => {
    expect((await server.member.ask("me")).ownerName).toBe(server.owner.user.name);
    expect((await server.owner.ask("me")).ownerName).toBeUndefined();
  });
});

describe("members", () => {
  it("are removed with their sign-ins, tokens, drones and running turns, at once", async () => {
    const { owner, url } = server;
    const leaver = await server.join("Lea");
    const drone = await connectDrone(server, leaver);
    const { turn } = await startTurn(leaver, drone);
    const page = await openPage(url, leaver);
    await owner.ask("deleteMember", { params: { id: leaver.user.id } });
    await page.closed();
    await drone.closed();
    for (const headers of [
      { authorization: `Bearer ${leaver.token}` },
      { cookie: leaver.cookie },
    ] satisfies Record<string, string>[]) {
      expect((await sendRoute(url, "me", { headers })).status).toBe(401);
    }
    await expect(openPage(url, leaver)).rejects.toMatchObject({
      data: { error: { code: "unauthenticated" } },
    });
    await expect(drone.connect()).rejects.toThrow("This drone was revoked");
    const stored = await server.database.models.turns.findById(turn.id).lean();
    expect(stored?.status).toBe("interrupted");
    expect(await server.database.models.providers.countDocuments({ owner: leaver.user.id })).toBe(
      0,
    );
  });

  it("keep at least one owner, also when two demote each other", async () => {
    const { owner } = server;
    const own = { id: owner.user.id };
    expect((await owner.refusal("deleteMember", { params: own }))?.code).toBe("conflict");
    expect(
      (await owner.refusal("updateMember", { params: own, body: { role: "member" } }))?.code,
    ).toBe("conflict");
    const second = await server.join("Otto");
    const promote = { params: { id: second.user.id }, body: { role: "owner" as const } };
    expect((await owner.ask("updateMember", promote)).member.role).toBe("owner");
    await Promise.all([
      owner.refusal("updateMember", { params: { id: second.user.id }, body: { role: "member" } }),
      second.refusal("updateMember", { params: own, body: { role: "member" } }),
    ]);
    const owners = await server.database.models.users.find({ role: "owner" }).lean();
    expect(owners.length).toBeGreaterThan(0);
    await server.database.models.users.updateOne(
      { _id: owner.user.id },
      { $set: { role: "owner" } },
    );
  });
});

describe("a sign-in", () => {
  it("makes a new secret each time, and ends at sign-out with its open tabs", async () => {
    const { url, member } = server;
    const body = { email: member.user.email.toUpperCase(), password };
    const fixed = { cookie: "gadget_session=s_chosen-by-somebody-else" };
    const response = await sendRoute(url, "login", { body, headers: fixed });
    expect(response.status).toBe(200);
    const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
    expect(cookie).not.toContain("chosen");
    const again = await sendRoute(url, "login", { body });
    expect(again.headers.get("set-cookie")).not.toContain(cookie);
    const browser = new Person(url, member.user, "", cookie);
    const page = await openPage(url, browser, "cookie");
    const out = await sendRoute(url, "logout", { headers: { cookie, origin: url } });
    expect(out.status).toBe(200);
    await page.closed();
    expect((await sendRoute(url, "me", { headers: { cookie } })).status).toBe(401);
    const tab = await openPage(url, member);
    tab.close();
  });

  it("ends everywhere else when the password is changed", async () => {
    const { url } = server;
    const person = await server.join("Pat");
    const elsewhere = await openPage(url, person, "cookie");
    const wrong = { password: "a new password", currentPassword: "not it" };
    expect((await person.refusal("updateMe", { body: wrong }))?.code).toBe("forbidden");
    const right = { password: "a new password", currentPassword: password };
    await person.ask("updateMe", { body: right });
    await elsewhere.closed();
    expect((await sendRoute(url, "me", { headers: { cookie: person.cookie } })).status).toBe(401);
  });

  it("takes API tokens and enrolment codes of before along, unless they are to be kept", async () => {
    const { url } = server;
    const person = await server.join("Remy");
    const made = await person.ask("createToken", { body: { name: "a thief's" } });
    const thief = new Person(url, person.user, made.token, "");
    const page = await openPage(url, thief);
    const { code } = await person.ask("createEnrollment");
    const enroll = { body: { code, name: "d", host: "h" } };
    const change = (from: string, to: string, keepTokens?: boolean) =>
      person.ask("updateMe", {
        body: { password: to, currentPassword: from, ...(keepTokens && { keepTokens }) },
      });
    const kept = await change(password, "the second password", true);
    expect(kept.revoked).toEqual({ tokens: 0, enrollments: 0 });
    expect((await thief.ask("me")).user.name).toBe("Remy");
    const { revoked } = await change("the second password", "the third password");
    expect(revoked).toEqual({ tokens: 1, enrollments: 1 });
    await page.closed();
    expect((await thief.refusal("me"))?.code).toBe("unauthenticated");
    expect((await sendRoute(url, "enrollDrone", enroll)).status).toBe(403);
    // What changed the password goes on.
    expect((await person.ask("me")).user.name).toBe("Remy");
  });

  it("is written down with the address, also when it fails", async () => {
    const { owner, url } = server;
    const email = `${randomBytes(4).toString("hex")}@example.com`;
    await sendRoute(url, "login", { body: { email, password } });
    const { items } = await becomes(
      () => owner.ask("listAudit", { query: { limit: 100 } }),
      (log) => log.items.some(({ detail }) => detail === email),
    );
    expect(items.find(({ detail }) => detail === email)).toMatchObject({
      action: "sign-in failed",
      userId: null,
      address: expect.stringContaining("127.0.0.1") as string,
    });
    const actions = new Set(items.map(({ action }) => action));
    for (const action of ["signed in", "member invited", "member joined", "member removed"]) {
      expect(actions, action).toContain(action);
    }
    const { items: one, nextCursor } = await owner.ask("listAudit", { query: { limit: 1 } });
    expect(one).toHaveLength(1);
    expect(nextCursor).not.toBeNull();
  });
});

describe("a token", () => {
  it("is revoked together with the tabs that came in with it", async () => {
    const { url, member } = server;
    const { id, token } = await member.ask("createToken", { body: { name: "script" } });
    const script = new Person(url, member.user, token, "");
    const page = await openPage(url, script);
    expect((await script.ask("me")).user.id).toBe(member.user.id);
    await member.ask("deleteToken", { params: { id } });
    await page.closed();
    expect((await script.refusal("me"))?.code).toBe("unauthenticated");
  });
});
