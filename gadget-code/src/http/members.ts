import { auditToWire } from "../models/audit-entry.ts";
import { userToWire } from "../models/user.ts";
import { audit } from "../people/audit.ts";
import { invite } from "../people/invite.ts";
import { changeMember, removeMember } from "../people/member.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage } from "./list-page.ts";
import type { Handlers } from "./router.ts";

/** What only an owner may see and do. */
export function memberHandlers(context: HttpContext) {
  const { models } = context;
  return {
    listMembers: ({ query }) => listPage(models.users, {}, query, userToWire),
    inviteMember: async ({ user, body: { email }, req }) => {
      const { invitation, code } = await invite(models, email, context.now());
      const by = { id: user._id, name: user.name };
      const subject = invitation._id;
      audit(context, { action: "member invited", by, address: req.ip, subject, detail: email });
      return {
        invitation: {
          id: invitation._id,
          email: invitation.email,
          url: `${context.url()}/invitation#code=${code}`,
          expiresAt: invitation.expiresAt.toISOString(),
        },
      };
    },
    updateMember: async ({ user, params: { id }, body, req }) => {
      const member = await changeMember(models, id, body);
      const by = { id: user._id, name: user.name };
      const detail = `${member.name}, ${member.role}`;
      audit(context, { action: "member changed", by, address: req.ip, subject: id, detail });
      return { member: userToWire(member) };
    },
    deleteMember: async ({ user, params: { id }, req }) => {
      const by = { id: user._id, name: user.name };
      const { email } = await removeMember(context, id, by);
      audit(context, { action: "member removed", by, address: req.ip, subject: id, detail: email });
      return { ok: true };
    },
    listAudit: ({ query }) => listPage(models.audit, {}, query, auditToWire),
  } satisfies Handlers;
}
