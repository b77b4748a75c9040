import { RefusalError } from "@gadget/api";
import type { Response } from "express";
import { type StoredUser, userToWire } from "../models/user.ts";
import { type AuditAction, audit } from "../people/audit.ts";
import { cookieValue, sessionCookie, signIn, signOut } from "../people/identity.ts";
import { acceptInvitation } from "../people/invite.ts";
import { setUp, setupOpen } from "../people/owner.ts";
import { checkPassword, hashPassword } from "../people/password.ts";
import { welcomeOwner } from "../people/welcome-owner.ts";
import type { HttpContext } from "./http-context.ts";
import type { Handlers } from "./router.ts";

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
    res.setHeader("Set-Cookie", sessionCookie(bearer, secure));
    audit(context, { action, by: { id: user._id, name: user.name }, address });
    return { user: userToWire(user) };
  };

  return {
    setupState: async () => ({ hasOwner: !(await setupOpen(models)) }),
    setup: async ({ body: { code, ...account }, req, res }) => {
      await limits.code(req.ip);
      const owner = await setUp(models, secret, code, account, context.now());
      await welcomeOwner(context, owner);
      context.onOwner();
      return startSession(owner, "set up", req.ip, res);
    },
    acceptInvitation: async ({ body, req, res }) => {
      await limits.code(req.ip);
      const user = await acceptInvitation(models, body, context.now());
      return startSession(user, "member joined", req.ip, res);
    },
    login: async ({ body: { email, password }, req, res }) => {
      const forget = await limits.signIn(req.ip, email);
      const user = await models.users.findOne({ email: email.toLowerCase() }).lean<StoredUser>();
      const right = await checkPassword(password, user?.passwordHash);
      if (user === null || !right) {
        audit(context, { action: "sign-in failed", by: null, address: req.ip, detail: email });
        throw new RefusalError("unauthenticated", "The e-mail address or the password is wrong.");
      }
      await forget();
      return startSession(user, "signed in", req.ip, res);
    },
    logout: async ({ user, req, res }) => {
      const credential = await signOut(models, cookieValue(req.headers.cookie));
      if (credential !== undefined) hangUp.credential(credential);
      res.setHeader("Set-Cookie", sessionCookie(undefined, secure));
      const by = { id: user._id, name: user.name };
      audit(context, { action: "signed out", by, address: req.ip });
      return { ok: true };
    },
    me: ({ user }) => ({ user: userToWire(user) }),
    updateMe: async ({ user, body: { name, password, currentPassword }, credential, req }) => {
      const set = { ...(name !== undefined && { name }) };
      if (password !== undefined) {
        const forget = await limits.signIn(req.ip, user.email);
        if (!(await checkPassword(currentPassword ?? "", user.passwordHash))) {
          throw new RefusalError("forbidden", "The current password is wrong.");
        }
        await forget();
        Object.assign(set, { passwordHash: await hashPassword(password) });
      }
      const changed = await models.users
        .findOneAndUpdate({ _id: user._id }, { $set: set }, { returnDocument: "after" })
        .lean<StoredUser>();
      if (password !== undefined) {
        // Whoever knew the old one is out; this browser stays signed in.
        const kept = credential.replace(/^login:/, "");
        await models.logins.deleteMany({ userId: user._id, _id: { $ne: kept } });
        hangUp.person(user._id, credential);
        const by = { id: user._id, name: user.name };
        audit(context, { action: "password changed", by, address: req.ip });
      }
      return { user: userToWire(changed ?? user) };
    },
  } satisfies Handlers;
}
