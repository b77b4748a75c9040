import type { FormEvent } from "react";
import { textOf } from "../../lib/text-of.ts";
import { showToast } from "../../lib/toast.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { Button } from "./Button.tsx";
import { Field } from "./Field.tsx";
import { FormFooter } from "./FormFooter.tsx";

interface Props {
  name: string;
  /** A list of words beside the name: labels, names of variables. */
  words: { label: string; value: readonly string[]; placeholder: string; hint?: string };
  save: (name: string, words: string[]) => Promise<void>;
}

/** The settings of a thing that has a name and a list of words. */
export function SettingsForm({ name, words, save }: Props) {
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const { label, value, ...rest } = words;

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const list = textOf(form, "words").split(/[\s,]+/);
    void attempt(async () => {
      await save(textOf(form, "name"), list.filter(Boolean));
      showToast("Saved.", { tone: "success" });
    });
  };

  return (
    <form onSubmit={onSubmit} className="card flex flex-col gap-4 p-4">
      <h2 className="font-semibold">Settings</h2>
      <Field label="Name" name="name" defaultValue={name} required maxLength={100} />
      <Field label={label} name="words" defaultValue={value.join(" ")} {...rest} />
      <FormFooter problem={problem}>
        <Button type="submit" tone="primary" disabled={isBusy}>
          Save
        </Button>
      </FormFooter>
    </form>
  );
}
