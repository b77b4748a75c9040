import * as z from "zod/mini";
import { TokenId, UserId } from "../id.ts";
import { ApiToken, AuditEntry, Invitation, Member, Role } from "../member.ts";
import { listOf, ok, page, route } from "./route.ts";

const email = z.email().check(z.maxLength(254));
const name = z.string().check(z.trim(), z.minLength(1), z.maxLength(100));
const password = z.string().check(z.minLength(10), z.maxLength(200));
const code = z.string().check(z.minLength(10), z.maxLength(200));
const me = z.object({ user: Member });

export const peopleRoutes = {
  setup: route({
    method: "POST",
    path: "/auth/setup",
    summary: "Create the owner with the code of the set-up link, and sign in.",
    access: "public",
    status: 201,
    body: z.strictObject({ code, email, name, password }),
    answer: me,
  }),
  setupState: route({
    method: "GET",
    path: "/auth/setup",
    summary: "Whether this server has an owner.",
    access: "public",
    answer: z.object({ hasOwner: z.boolean() }),
  }),
  login: route({
    method: "POST",
    path: "/auth/login",
    summary: "Sign in: sets the session cookie.",
    access: "public",
    body: z.strictObject({ email, password: z.string().check(z.minLength(1), z.maxLength(200)) }),
    answer: me,
  }),
  logout: route({
    method: "POST",
    path: "/auth/logout",
    summary: "Sign out: the session ends on the server too.",
    answer: ok,
  }),
  acceptInvitation: route({
    method: "POST",
    path: "/auth/accept",
    summary: "Create a member's account with the code of an invitation, and sign in.",
    access: "public",
    status: 201,
    body: z.strictObject({ code, name, password }),
    answer: me,
  }),
  me: route({ method: "GET", path: "/me", summary: "Who is signed in.", answer: me }),
  updateMe: route({
    method: "PATCH",
    path: "/me",
    summary: "Change one's own name or password.",
    body: z.strictObject({
      name: z.optional(name),
      password: z.optional(password),
      currentPassword: z.optional(z.string().check(z.maxLength(200))),
    }),
    answer: me,
  }),
  listTokens: route({
    method: "GET",
    path: "/tokens",
    summary: "One's own API tokens, without their secrets.",
    query: z.strictObject(page),
    answer: listOf(ApiToken),
  }),
  createToken: route({
    method: "POST",
    path: "/tokens",
    summary: "Make an API token. Its secret is shown this once.",
    status: 201,
    body: z.strictObject({ name }),
    answer: z.object({ id: TokenId, token: z.string() }),
  }),
  deleteToken: route({
    method: "DELETE",
    path: "/tokens/:id",
    summary: "Revoke an API token.",
    params: z.strictObject({ id: TokenId }),
    answer: ok,
  }),
  listMembers: route({
    method: "GET",
    path: "/members",
    summary: "Everybody who may sign in.",
    access: "owner",
    query: z.strictObject(page),
    answer: listOf(Member),
  }),
  inviteMember: route({
    method: "POST",
    path: "/members/invitations",
    summary: "Make a one-time invitation link.",
    access: "owner",
    status: 201,
    body: z.strictObject({ email }),
    answer: z.object({ invitation: Invitation }),
  }),
  updateMember: route({
    method: "PATCH",
    path: "/members/:id",
    summary: "Change a member's name or role.",
    access: "owner",
    params: z.strictObject({ id: UserId }),
    body: z.strictObject({ name: z.optional(name), role: z.optional(Role) }),
    answer: z.object({ member: Member }),
  }),
  deleteMember: route({
    method: "DELETE",
    path: "/members/:id",
    summary: "Remove a member: their sessions and tokens end.",
    access: "owner",
    params: z.strictObject({ id: UserId }),
    answer: ok,
  }),
  listAudit: route({
    method: "GET",
    path: "/audit",
    summary: "Sign-ins, enrolments, aborts and approvals, newest first.",
    access: "owner",
    query: z.strictObject(page),
    answer: listOf(AuditEntry),
  }),
};
