import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { Button } from "../components/Button.tsx";
import { Field } from "../components/Field.tsx";
import { GatePage } from "../components/GatePage.tsx";
import { useAuth } from "../lib/auth.ts";
import { textOf } from "../lib/form-text.ts";
import { fragmentCode } from "../lib/fragment-code.ts";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";

export function SetupPage() {
  const auth = useAuth();
  const { request } = useServices();
  const navigate = useNavigate();
  const [code] = useState(() => fragmentCode());
  const { isBusy, problem, attempt } = useAttempt({ inline: true });

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

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void attempt(async () => {
      const { user } = await request("setup", {
        body: {
          code,
          email: textOf(form, "email"),
          name: textOf(form, "name"),
          password: textOf(form, "password"),
        },
      });
      auth.signedIn(user);
      await navigate("/welcome", { replace: true });
    });
  };

  return (
    <GatePage title="Create the owner's account">
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <Field label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <Field label="Name" name="name" autoComplete="name" required maxLength={100} />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          hint="At least 10 characters"
        />
        {problem && (
          <p role="alert" className="text-[13px] text-danger">
            {problem}
          </p>
        )}
        <Button type="submit" tone="primary" disabled={isBusy}>
          {isBusy ? "Creating…" : "Create account"}
        </Button>
      </form>
    </GatePage>
  );
}
