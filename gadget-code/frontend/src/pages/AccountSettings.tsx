import { type AnswerOf, count } from "@gadget/api";
import { type FormEvent, useState } from "react";
import { Button } from "../components/ui/Button.tsx";
import { Field } from "../components/ui/Field.tsx";
import { FormFooter } from "../components/ui/FormFooter.tsx";
import { Segments } from "../components/ui/Segments.tsx";
import { useAuth, useUser } from "../lib/auth.ts";
import { useServices } from "../lib/services.ts";
import { textOf } from "../lib/text-of.ts";
import { readTheme, setTheme, type Theme } from "../lib/theme.ts";
import { showToast } from "../lib/toast.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate } from "../lib/use-request.ts";

const themeOptions: { value: Theme; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function savedWords(revoked: AnswerOf<"updateMe">["revoked"]): string {
  if (revoked === undefined) {
    return "Saved.";
  }
  const { tokens } = revoked;
  const ended = tokens === 0 ? "" : ` ${count(tokens, "API token")} ended.`;
  return `Saved. All other browsers are signed out.${ended}`;
}

export function AccountSettings() {
  const user = useUser();
  const auth = useAuth();
  const { request } = useServices();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const invalidate = useInvalidate();
  const [theme, choose] = useState(readTheme);

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const password = textOf(form, "password");
    const secret =
      password === "" ? {} : { password, currentPassword: textOf(form, "currentPassword") };
    void attempt(async () => {
      const keepTokens = form.get("keepTokens") === "on";
      const body = { name: textOf(form, "name"), ...secret, ...(keepTokens && { keepTokens }) };
      const answer = await request("updateMe", { body });
      auth.signedIn(answer.user);
      element.reset();
      invalidate("listTokens");
      showToast(savedWords(answer.revoked), { tone: "success" });
    });
  };

  return (
    <div className="flex max-w-lg flex-col gap-8">
      <section className="flex flex-col gap-3">
        <h2 className="font-semibold">Theme</h2>
        <Segments
          label="Theme"
          value={theme}
          options={themeOptions}
          onChange={(value) => {
            setTheme(value);
            choose(value);
          }}
        />
      </section>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <h2 className="font-semibold">Account</h2>
        <p className="text-muted">{user.email}</p>
        <Field
          key={user.name}
          label="Name"
          name="name"
          defaultValue={user.name}
          required
          maxLength={100}
        />
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          hint="Leave it empty to keep the one you have."
        />
        <Field
          label="Current password"
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          hint="Only needed to set a new one."
        />
        <label className="flex items-start gap-2 text-[13px]">
          <input type="checkbox" name="keepTokens" className="mt-0.5" />
          <span>
            Keep my API tokens
            <span className="block text-faint">
              Otherwise a new password also ends every API token and open enrolment code. All other
              browsers are signed out in any case.
            </span>
          </span>
        </label>
        <FormFooter problem={problem}>
          <Button type="submit" tone="primary" disabled={isBusy}>
            Save
          </Button>
        </FormFooter>
      </form>
      <section className="flex flex-col items-start gap-3 border-t border-line pt-6">
        <h2 className="font-semibold">This browser</h2>
        <Button onClick={() => void attempt(() => auth.signOut())}>Sign out</Button>
      </section>
    </div>
  );
}
