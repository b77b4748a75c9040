import { RefusalError } from "@gadget/api";
import type { Response } from "express";
import { invitationToWire } from "../../models/invitation.ts";
import { personOf, type StoredUser, userToWire } from "../../models/user.ts";
import { type AuditAction, audit } from "../../people/audit.ts";
import { endCredentials } from "../../people/end-credentials.ts";
import { cookieValue, sessionCookie, signIn, signOut } from "../../people/identity.ts";
import { acceptInvitation, openInvitation } from "../../people/invite.ts";
import { browserCookie, knownBrowser } from "../../people/known-browser.ts";
import { setUp, setupOpen } from "../../people/owner.ts";
import { checkPassword, hashPassword } from "../../people/password.ts";
import { welcomeOwner } from "../../people/welcome-owner.ts";
import type { HttpContext } from "../http-context.ts";
import type { Handlers } from "../router.ts";

/** Coming in, going out, and one's own account. */
export function accountHandlers(context: HttpContext) {
  const { models, secret, config, limits, hangUp } = context;
  const secure = config.publicUrl?.protocol === "https:";

  const startSession = async (
    user: StoredUser,
    action: AuditAction,
    address: string | undefined,
    res: Response,
  ) => {
    const bearer = await signIn(models, user._id, context.now());
    const cookies = [sessionCookie(bearer, secure), browserCookie(secret, user, secure)];
    res.setHeader("Set-Cookie", cookies);
    audit(context, { action, by: personOf(user), address });
    return { user: userToWire(user) };
  };

  return {
    setupState: async () => ({ hasOwner: !(await setupOpen(models)) }),
    setup: async ({ body: { code, ...account }, req, res }) => {
      await limits.code(req.ip);
      const owner = await setUp(models, secret, code, account, context.now());
      hangUp.person(owner._id);
      await welcomeOwner(context, owner);
      context.onOwner();
      return startSession(owner, "set up", req.ip, res);
    },
    readInvitation: async ({ body: { code }, req }) => {
      await limits.code(req.ip);
      const { id: _, ...invitation } = invitationToWire(
        await openInvitation(models, code, context.now()),
      );
      return { invitation };
    },
    acceptInvitation: async ({ body, req, res }) => {
      await limits.code(req.ip);
      const user = await acceptInvitation(models, body, context.now());
      return startSession(user, "member joined", req.ip, res);
    },
    login: async ({ body: { email, password }, req, res }) => {
      const user = await models.users.findOne({ email: email.toLowerCase() }).lean<StoredUser>();
      const browser = knownBrowser(secret, user, req.headers.cookie);
      const forget = await limits.signIn(req.ip, email, browser);
      const right = await checkPassword(password, user?.passwordHash);
      if (user === null || !right) {
        audit(context, { action: "sign-in failed", by: null, address: req.ip, detail: email });
        throw new RefusalError("unauthenticated", "The email or the password is wrong.");
      }
      await forget();
      return startSession(user, "signed in", req.ip, res);
    },
    logout: async ({ user, req, res }) => {
      const credential = await signOut(models, cookieValue(req.headers.cookie));
      if (credential !== undefined) {
        hangUp.credential(credential);
      }
      res.setHeader("Set-Cookie", sessionCookie(undefined, secure));
      const by = personOf(user);
      audit(context, { action: "signed out", by, address: req.ip });
      return { ok: true };
    },
    me: async ({ user }) => {
      if (user.role === "owner") {
        return { user: userToWire(user) };
      }
      const owner = await models.users.findOne({ role: "owner" }).sort({ createdAt: 1 }).lean();
      return { user: userToWire(user), ownerName: owner?.name };
    },
    updateMe: async ({ user, body, credential, req, res }) => {
      const { name, password, currentPassword, keepTokens } = body;
      const set = { ...(name !== undefined && { name }) };
      if (password !== undefined) {
        const forget = await limits.ownPassword(user._id);
        if (!(await checkPassword(currentPassword ?? "", user.passwordHash))) {
          throw new RefusalError("forbidden", "The current password is wrong.");
        }
        await forget();
        Object.assign(set, { passwordHash: await hashPassword(password) });
      }
      const changed = await models.users
        .findOneAndUpdate({ _id: user._id }, { $set: set }, { returnDocument: "after" })
        .lean<StoredUser>();
      if (password === undefined || changed === null) {
        return { user: userToWire(changed ?? user) };
      }
      // Whoever knew the old one is out; this browser or script stays signed in.
      const revoked = await endCredentials(models, user._id, { except: credential, keepTokens });
      hangUp.person(user._id, credential);
      if (cookieValue(req.headers.cookie) !== undefined) {
        res.setHeader("Set-Cookie", browserCookie(secret, changed, secure));
      }
      const by = personOf(user);
      const { tokens, enrollments } = revoked;
      const detail = `${tokens} API tokens and ${enrollments} enrolment codes revoked`;
      audit(context, { action: "password changed", by, address: req.ip, detail });
      return { user: userToWire(changed), revoked };
    },
  } satisfies Handlers;
}
