import { type ReactNode, useId } from "react";

interface Props {
  title: string;
  /** Said at once to those who can't see it. Docks are announced, never focused. */
  announce?: string;
  children: ReactNode;
}

export function Dock({ title, announce, children }: Props) {
  const heading = useId();
  return (
    <section
      aria-labelledby={heading}
      data-dock
      tabIndex={-1}
      className="flex max-h-[45vh] flex-col gap-2 overflow-auto rounded-xl border border-line-strong bg-raised px-3.5 py-2.5 text-[13px] shadow-sm"
    >
      <h2 id={heading} className="text-xs font-semibold tracking-wide text-muted uppercase">
        {title}
      </h2>
      {announce && (
        <p role="alert" className="sr-only">
          {announce}
        </p>
      )}
      {children}
    </section>
  );
}
