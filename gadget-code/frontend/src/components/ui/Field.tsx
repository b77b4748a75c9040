import type { InputHTMLAttributes } from "react";
import { LabelledInput } from "./LabelledInput.tsx";

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  hint?: string;
}

export function Field({ label, hint, ...input }: Props) {
  return (
    <LabelledInput label={label} hint={hint}>
      {(labelled) => <input {...labelled} {...input} />}
    </LabelledInput>
  );
}
