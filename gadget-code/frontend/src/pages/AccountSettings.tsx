import { type FormEvent, useState } from "react";
import { Button } from "../components/Button.tsx";
import { Field } from "../components/Field.tsx";
import { Segments } from "../components/Segments.tsx";
import { useAuth, useUser } from "../lib/auth.ts";
import { textOf } from "../lib/form-text.ts";
import { useServices } from "../lib/services.ts";
import { readTheme, setTheme, type Theme } from "../lib/theme.ts";
import { showToast } from "../lib/toast.ts";
import { useAttempt } from "../lib/use-attempt.ts";

const themeOptions: { value: Theme; label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function AccountSettings() {
  const user = useUser();
  const auth = useAuth();
  const { request } = useServices();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const [theme, choose] = useState(readTheme);

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const password = textOf(form, "password");
    const secret =
      password === "" ? {} : { password, currentPassword: textOf(form, "currentPassword") };
    void attempt(async () => {
      const answer = await request("updateMe", { body: { name: textOf(form, "name"), ...secret } });
      auth.signedIn(answer.user);
      element.reset();
      showToast("Saved.", { tone: "success" });
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
          hint="Needed to set a new one."
        />
        {problem && (
          <p role="alert" className="text-[13px] text-danger">
            {problem}
          </p>
        )}
        <div className="flex gap-2">
          <Button type="submit" tone="primary" disabled={isBusy}>
            Save
          </Button>
          <Button onClick={() => void attempt(() => auth.signOut())}>Sign out</Button>
        </div>
      </form>
    </div>
  );
}
