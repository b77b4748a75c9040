import { newId, RefusalError, TokenId } from "@gadget/api";
import type { Response } from "express";
import { apiTokenToWire, type StoredApiToken } from "../models/api-token.ts";
import { type StoredUser, userToWire } from "../models/user.ts";
import { bearerHash, newBearer } from "../people/bearer.ts";
import { cookieValue, sessionCookie, signIn, signOut } from "../people/identity.ts";
import { setUp, setupOpen } from "../people/owner.ts";
import { checkPassword, hashPassword } from "../people/password.ts";
import { welcomeOwner } from "../people/welcome-owner.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage } from "./list-page.ts";
import type { Handlers } from "./router.ts";

export function peopleHandlers(context: HttpContext): Handlers {
  const { models, secret, config } = context;
  const secure = config.publicUrl?.protocol === "https:";

  const startSession = async (user: StoredUser, res: Response) => {
    const bearer = await signIn(models, user._id, context.now());
    res.setHeader("Set-Cookie", sessionCookie(bearer, secure));
    return { user: userToWire(user) };
  };

  return {
    setupState: async () => ({ hasOwner: !(await setupOpen(models)) }),
    setup: async ({ body: { code, ...account }, res }) => {
      const owner = await setUp(models, secret, code, account, context.now());
      await welcomeOwner(context, owner);
      context.onOwner();
      return startSession(owner, res);
    },
    login: async ({ body: { email, password }, res }) => {
      const user = await models.users.findOne({ email: email.toLowerCase() }).lean<StoredUser>();
      const right = await checkPassword(password, user?.passwordHash);
      if (user === null || !right) {
        throw new RefusalError("unauthenticated", "The e-mail address or the password is wrong.");
      }
      return startSession(user, res);
    },
    logout: async ({ req, res }) => {
      await signOut(models, cookieValue(req.headers.cookie));
      res.setHeader("Set-Cookie", sessionCookie(undefined, secure));
      return { ok: true };
    },
    me: ({ user }) => ({ user: userToWire(user) }),
    updateMe: async ({ user, body: { name, password, currentPassword } }) => {
      if (
        password !== undefined &&
        !(await checkPassword(currentPassword ?? "", user.passwordHash))
      ) {
        throw new RefusalError("forbidden", "The current password is wrong.");
      }
      const set = {
        ...(name !== undefined && { name }),
        ...(password !== undefined && { passwordHash: await hashPassword(password) }),
      };
      const changed = await models.users
        .findOneAndUpdate({ _id: user._id }, { $set: set }, { returnDocument: "after" })
        .lean<StoredUser>();
      return { user: userToWire(changed ?? user) };
    },
    listTokens: ({ user, query }) =>
      listPage(models.apiTokens, { owner: user._id }, query, (token: StoredApiToken) =>
        apiTokenToWire(token),
      ),
    createToken: async ({ user, body: { name } }) => {
      const token = newBearer("gadget");
      const id = newId(TokenId);
      await models.apiTokens.create([
        { _id: id, owner: user._id, name, hash: bearerHash(token), createdAt: context.now() },
      ]);
      return { id, token };
    },
    deleteToken: async ({ user, params: { id } }) => {
      const { deletedCount } = await models.apiTokens.deleteOne({ _id: id, owner: user._id });
      if (deletedCount === 0) throw new RefusalError("not_found");
      return { ok: true };
    },
  };
}
