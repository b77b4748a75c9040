import type { ApiToken } from "@gadget/api";
import { type FormEvent, useState } from "react";
import { Button } from "../components/ui/Button.tsx";
import { CopyButton } from "../components/ui/CopyButton.tsx";
import { Field } from "../components/ui/Field.tsx";
import { Loading } from "../components/ui/Loading.tsx";
import { ago } from "../lib/ago.ts";
import { useServices } from "../lib/services.ts";
import { textOf } from "../lib/text-of.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../lib/use-request.ts";

export function TokenSettings() {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const tokens = useRequest("listTokens", {});
  const { isBusy, attempt } = useAttempt();
  const [secret, setSecret] = useState<string>();

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    void attempt(async () => {
      const name = textOf(new FormData(element), "name");
      setSecret((await request("createToken", { body: { name } })).token);
      element.reset();
      invalidate("listTokens");
    });
  };

  const revoke = (token: ApiToken): void => {
    void attempt(async () => {
      await request("deleteToken", { params: { id: token.id } });
      invalidate("listTokens");
    });
  };

  return (
    <div className="flex flex-col gap-5">
      <form onSubmit={onSubmit} className="flex max-w-lg items-end gap-2">
        <div className="flex-1">
          <Field
            label="New token"
            name="name"
            required
            maxLength={100}
            placeholder="What it is for"
          />
        </div>
        <Button type="submit" tone="primary" disabled={isBusy} className="h-[37px]">
          Create
        </Button>
      </form>
      {secret && (
        <div role="status" className="card flex max-w-lg flex-col gap-2 p-3.5">
          <p className="text-[13px] text-muted">Copy it now: it is shown this once.</p>
          <div className="flex items-center gap-2">
            <code className="min-w-0 flex-1 font-mono text-xs break-all">{secret}</code>
            <CopyButton text={secret} />
          </div>
        </div>
      )}
      <Loading of={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">No tokens yet. The CLI and scripts sign in with one.</p>
          ) : (
            <ul className="card divide-y divide-line">
              {items.map((token) => (
                <li key={token.id} className="flex items-center gap-3 px-3.5 py-2">
                  <span title={token.name} className="min-w-0 flex-1 truncate">
                    {token.name}
                  </span>
                  <span className="text-xs text-faint">
                    {token.lastUsedAt === null ? "never used" : `used ${ago(token.lastUsedAt)}`}
                  </span>
                  <Button small onClick={() => revoke(token)}>
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </div>
  );
}
