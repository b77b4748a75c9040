import * as z from "zod/mini";
import { InvitationId, TokenId, UserId } from "../id.ts";
import { ApiToken, AuditEntry, Invitation, Member, OpenInvitation, Role } from "../member.ts";
import { listOf, ok, page, route } from "./route.ts";

const wholeEmail = "Give a whole email address, like ada@example.org.";
const email = z.email(wholeEmail).check(z.maxLength(254, wholeEmail));
const nameLength = "A name has 1 to 100 characters.";
const name = z
  .string(nameLength)
  .check(z.trim(), z.minLength(1, nameLength), z.maxLength(100, nameLength));
const passwordLength = "A password has 10 to 200 characters.";
const password = z
  .string(passwordLength)
  .check(z.minLength(10, passwordLength), z.maxLength(200, passwordLength));
/** The code of a link; what to do where it is not whole. */
const code = (incomplete: string) =>
  z.string(incomplete).check(z.minLength(10, incomplete), z.maxLength(200, incomplete));
const invitationCode = code(
  "This invitation link is not complete. Copy it again from the message.",
);
const me = z.object({ user: Member });

export const peopleRoutes = {
  setup: route({
    method: "POST",
    path: "/auth/setup",
    summary: "Create the owner with the code of the set-up link, and sign in.",
    access: "public",
    status: 201,
    body: z.strictObject({
      code: code("This set-up link is not complete. Copy it again from the terminal."),
      email,
      name,
      password,
    }),
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
    body: z.strictObject({
      code: invitationCode,
      name,
      password,
    }),
    answer: me,
  }),
  readInvitation: route({
    method: "POST",
    path: "/auth/invitation",
    summary: "Who invites whom with this code; it stays as good as it was.",
    access: "public",
    body: z.strictObject({ code: invitationCode }),
    answer: z.object({ invitation: z.omit(OpenInvitation, { id: true }) }),
  }),
  me: route({
    method: "GET",
    path: "/me",
    summary: "Who is signed in.",
    answer: z.object({
      ...me.shape,
      /** Whom a member can ask for what only an owner may do. */
      ownerName: z.optional(z.string()),
    }),
  }),
  updateMe: route({
    method: "PATCH",
    path: "/me",
    summary:
      "Change one's own name or password. A new password ends all other sign-ins, API tokens and open enrolment codes.",
    body: z.strictObject({
      name: z.optional(name),
      password: z.optional(password),
      currentPassword: z.optional(z.string().check(z.maxLength(200))),
      /** With a new password: API tokens and enrolment codes stay as they are. */
      keepTokens: z.optional(z.boolean()),
    }),
    answer: z.object({
      ...me.shape,
      /** How many ended with the old password. */
      revoked: z.optional(z.object({ tokens: z.int(), enrollments: z.int() })),
    }),
  }),
  listTokens: route({
    method: "GET",
    path: "/tokens",
    summary: "One's own API tokens, without their secrets.",
    query: z.strictObject(page),
    answer: listOf(ApiToken),
  }),
  createToken: route({
    recent: true,
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
    recent: true,
    method: "POST",
    path: "/members/invitations",
    summary: "Make a one-time invitation link.",
    access: "owner",
    status: 201,
    body: z.strictObject({ email }),
    answer: z.object({ invitation: Invitation }),
  }),
  listInvitations: route({
    method: "GET",
    path: "/members/invitations",
    summary: "Invitations that nobody has used yet.",
    access: "owner",
    query: z.strictObject(page),
    answer: listOf(OpenInvitation),
  }),
  deleteInvitation: route({
    method: "DELETE",
    path: "/members/invitations/:id",
    summary: "Revoke an invitation: its link is dead.",
    access: "owner",
    params: z.strictObject({ id: InvitationId }),
    answer: ok,
  }),
  updateMember: route({
    recent: true,
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
