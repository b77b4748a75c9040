import { useState } from "react";
import { AccountForm } from "../components/AccountForm.tsx";
import { Field } from "../components/Field.tsx";
import { GatePage } from "../components/GatePage.tsx";
import { textOf } from "../lib/form-text.ts";
import { fragmentCode } from "../lib/fragment-code.ts";
import { useServices } from "../lib/services.ts";

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
