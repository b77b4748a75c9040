import { type ReactNode, useId } from "react";

interface Props {
  label: string;
  hint?: string | undefined;
  /** What the input needs to belong to the label and the hint. */
  children: (input: {
    id: string;
    className: string;
    "aria-describedby": string | undefined;
  }) => ReactNode;
}

export function LabelledInput({ label, hint, children }: Props) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-[13px] font-medium">
        {label}
      </label>
      {children({ id, className: "field", "aria-describedby": hintId })}
      {hint && (
        <p id={hintId} className="text-xs text-faint">
          {hint}
        </p>
      )}
    </div>
  );
}
