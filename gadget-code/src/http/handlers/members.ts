import { RefusalError } from "@gadget/api";
import { auditToWire } from "../../models/audit-entry.ts";
import { invitationToWire, type StoredInvitation } from "../../models/invitation.ts";
import { personOf, userToWire } from "../../models/user.ts";
import { audit } from "../../people/audit.ts";
import { invite } from "../../people/invite.ts";
import { changeMember, removeMember } from "../../revoking/member.ts";
import { endedWords } from "../../turns/end-foreign.ts";
import type { HttpContext } from "../http-context.ts";
import { listPage, slicePage } from "../list-page.ts";
import type { Handlers } from "../router.ts";

/** What only an owner may see and do. */
export function memberHandlers(context: HttpContext) {
  const { models } = context;
  return {
    listMembers: ({ query }) => listPage(models.users, {}, query, userToWire),
    inviteMember: async ({ user, body: { email }, req }) => {
      const { invitation, code } = await invite(models, email, user.name, context.now());
      const by = personOf(user);
      const subject = invitation._id;
      audit(context, { action: "member invited", by, address: req.ip, subject, detail: email });
      return {
        invitation: {
          id: invitation._id,
          email: invitation.email,
          url: `${context.pageUrl()}/invitation#code=${code}`,
          expiresAt: invitation.expiresAt.toISOString(),
        },
      };
    },
    listInvitations: async ({ query }) => {
      const open = { expiresAt: { $gt: context.now() } };
      const found = models.invitations.find(open).sort({ expiresAt: -1, _id: 1 });
      return slicePage((await found.lean<StoredInvitation[]>()).map(invitationToWire), query);
    },
    deleteInvitation: async ({ user, params: { id }, req }) => {
      const gone = await models.invitations.findByIdAndDelete(id).lean<StoredInvitation>();
      if (gone === null) {
        throw new RefusalError("not_found", "There is no such invitation any more.");
      }
      const by = personOf(user);
      const entry = { by, address: req.ip, subject: id, detail: gone.email };
      audit(context, { action: "invitation revoked", ...entry });
      return { ok: true };
    },
    updateMember: async ({ user, params: { id }, body, req }) => {
      const member = await changeMember(models, id, body);
      const by = personOf(user);
      const detail = `${member.name}, ${member.role}`;
      audit(context, { action: "member changed", by, address: req.ip, subject: id, detail });
      return { member: userToWire(member) };
    },
    deleteMember: async ({ user, params: { id }, req }) => {
      const by = personOf(user);
      const { user: gone, ended } = await removeMember(context, id, by);
      const detail = `${gone.email}: ${endedWords(ended)}`;
      audit(context, { action: "member removed", by, address: req.ip, subject: id, detail });
      return { ok: true };
    },
    listAudit: ({ query }) => listPage(models.audit, {}, query, auditToWire),
  } satisfies Handlers;
}
