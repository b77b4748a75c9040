import { newId, RefusalError, TokenId } from "@gadget/api";
import { bearerHash, newBearer } from "../../bearer.ts";
import { apiTokenToWire } from "../../models/api-token.ts";
import { personOf } from "../../models/user.ts";
import { audit } from "../../people/audit.ts";
import { tokenCredential } from "../../people/identity.ts";
import type { HttpContext } from "../http-context.ts";
import { listPage } from "../list-page.ts";
import type { Handlers } from "../router.ts";

export function tokenHandlers(context: HttpContext) {
  const { models, hangUp } = context;
  return {
    listTokens: ({ user, query }) =>
      listPage(models.apiTokens, { owner: user._id }, query, apiTokenToWire),
    createToken: async ({ user, body: { name }, req }) => {
      const token = newBearer("gadget");
      const id = newId(TokenId);
      await models.apiTokens.create([
        { _id: id, owner: user._id, name, hash: bearerHash(token), createdAt: context.now() },
      ]);
      const by = personOf(user);
      audit(context, { action: "token made", by, address: req.ip, subject: id, detail: name });
      return { id, token };
    },
    deleteToken: async ({ user, params: { id }, req }) => {
      const { deletedCount } = await models.apiTokens.deleteOne({ _id: id, owner: user._id });
      if (deletedCount === 0) {
        throw new RefusalError("not_found", "There is no such token.");
      }
      hangUp.credential(tokenCredential(id));
      const by = personOf(user);
      audit(context, { action: "token revoked", by, address: req.ip, subject: id });
      return { ok: true };
    },
  } satisfies Handlers;
}
