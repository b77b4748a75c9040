import type { Member } from "@gadget/api";
import type { FormEvent, ReactNode } from "react";
import { useNavigate } from "react-router";
import { useAuth } from "../../lib/auth.ts";
import { textOf } from "../../lib/text-of.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { FormFooter } from "../ui/FormFooter.tsx";

interface Props {
  /** What is asked for besides name and password. */
  children?: ReactNode;
  isDisabled?: boolean;
  create: (name: string, password: string, form: FormData) => Promise<{ user: Member }>;
}

/** Makes an account, signs it in and goes on to the first steps. */
export function AccountForm({ children, isDisabled = false, create }: Props) {
  const auth = useAuth();
  const navigate = useNavigate();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void attempt(async () => {
      const { user } = await create(textOf(form, "name"), textOf(form, "password"), form);
      auth.signedIn(user);
      await navigate("/welcome", { replace: true });
    });
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      {children}
      <Field
        label="Name"
        name="name"
        autoComplete="name"
        required
        autoFocus={children === undefined}
        maxLength={100}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        minLength={10}
        hint="At least 10 characters"
      />
      <FormFooter problem={problem} place="wide">
        <Button type="submit" tone="primary" disabled={isBusy || isDisabled}>
          {isBusy ? "Creating…" : "Create account"}
        </Button>
      </FormFooter>
    </form>
  );
}
