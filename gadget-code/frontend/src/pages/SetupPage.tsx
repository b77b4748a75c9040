import { useState } from "react";
import { AccountForm } from "../components/people/AccountForm.tsx";
import { fragmentCode } from "../components/people/fragment-code.ts";
import { GatePage } from "../components/shell/GatePage.tsx";
import { Field } from "../components/ui/Field.tsx";
import { useServices } from "../lib/services.ts";
import { textOf } from "../lib/text-of.ts";

export function SetupPage() {
  const { request } = useServices();
  const [code] = useState(() => fragmentCode());

  if (code === "") {
    return (
      <GatePage title="Use the set-up link">
        <p className="text-muted">
          Open the whole link that <code className="font-mono text-[13px]">npm start</code> printed
          in its terminal; this address lacks its code.
        </p>
      </GatePage>
    );
  }

  return (
    <GatePage title="Create the owner's account">
      <p className="mb-4 text-[13px] text-muted">
        It owns this server and may invite others. Next come a model and a folder to work in.
      </p>
      <AccountForm
        create={(name, password, form) =>
          request("setup", { body: { code, name, password, email: textOf(form, "email") } })
        }
      >
        <Field label="Email" name="email" type="email" autoComplete="username" required autoFocus />
      </AccountForm>
    </GatePage>
  );
}
