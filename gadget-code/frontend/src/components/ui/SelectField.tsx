import { LabelledInput } from "./LabelledInput.tsx";

interface Props {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  hint?: string;
}

export function SelectField({ label, value, options, onChange, hint }: Props) {
  return (
    <LabelledInput label={label} hint={hint}>
      {(labelled) => (
        <select {...labelled} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </LabelledInput>
  );
}
