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

export function InvitationPage() {
  const auth = useAuth();
  const { request } = useServices();
  const navigate = useNavigate();
  const [code] = useState(() => fragmentCode());
  const { isBusy, problem, attempt } = useAttempt({ inline: true });

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void attempt(async () => {
      const body = { code, name: textOf(form, "name"), password: textOf(form, "password") };
      auth.signedIn((await request("acceptInvitation", { body })).user);
      await navigate("/welcome", { replace: true });
    });
  };

  return (
    <GatePage title="You are invited">
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <Field label="Name" name="name" autoComplete="name" required autoFocus maxLength={100} />
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
        <Button type="submit" tone="primary" disabled={isBusy || code === ""}>
          Create account
        </Button>
      </form>
    </GatePage>
  );
}
