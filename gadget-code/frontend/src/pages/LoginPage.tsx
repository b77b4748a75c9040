import { type FormEvent, useState } from "react";
import { Navigate, useLocation, useNavigate } from "react-router";
import { useStore } from "zustand";
import { GatePage } from "../components/shell/GatePage.tsx";
import { Button } from "../components/ui/Button.tsx";
import { Field } from "../components/ui/Field.tsx";
import { FormFooter } from "../components/ui/FormFooter.tsx";
import { sentenceOf } from "../lib/api.ts";
import { useAuth } from "../lib/auth.ts";
import { useServices } from "../lib/services.ts";
import { textOf } from "../lib/text-of.ts";

/** Only a path of this page is followed after signing in, never an address from outside. */
function targetOf(state: unknown): string {
  const from = typeof state === "object" && state !== null && "from" in state ? state.from : "/";
  return typeof from === "string" && from.startsWith("/") && !from.startsWith("//") ? from : "/";
}

export function LoginPage() {
  const auth = useAuth();
  const { request } = useServices();
  const isIn = useStore(auth.store, ({ kind }) => kind === "in");
  const isUnowned = useStore(auth.store, ({ kind }) => kind === "unowned");
  const location = useLocation();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const target = targetOf(location.state);

  if (isIn) {
    return <Navigate to={target} replace />;
  }
  if (isUnowned) {
    return (
      <GatePage title="This server has no owner yet">
        <p className="text-muted">
          Open the set-up link that <code className="font-mono text-[13px]">npm start</code> printed
          in its terminal. It creates the first account.
        </p>
      </GatePage>
    );
  }

  const signIn = async (form: FormData): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const body = { email: textOf(form, "email"), password: textOf(form, "password") };
      const { user } = await request("login", { body });
      auth.signedIn(user);
      await navigate(target, { replace: true });
    } catch (error) {
      setProblem(sentenceOf(error));
      setBusy(false);
    }
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void signIn(new FormData(event.currentTarget));
  };

  return (
    <GatePage title="Sign in">
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <Field label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <FormFooter problem={problem} place="wide">
          <Button type="submit" tone="primary" disabled={isBusy}>
            {isBusy ? "Signing in…" : "Sign in"}
          </Button>
        </FormFooter>
      </form>
    </GatePage>
  );
}
