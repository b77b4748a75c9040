import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

interface Props {
  title: string;
  /** Said at once to those who can't see it. Docks are announced, never focused. */
  announce?: string;
  children: ReactNode;
  /** Stands under what scrolls, so that it is always in sight. */
  actions?: ReactNode;
}

export function Dock({ title, announce, children, actions }: Props) {
  const heading = useId();
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = section.current;
    // A dock closes by itself; a person who was in it goes on in the composer.
    return () => {
      if (element?.contains(document.activeElement)) {
        document.getElementById("message")?.focus();
      }
    };
  }, []);
  return (
    <section
      ref={section}
      aria-labelledby={heading}
      data-dock
      tabIndex={-1}
      className="flex max-h-[45vh] shrink-0 low:max-h-none low:min-h-36 low:shrink low:gap-1.5 low:py-1.5 flex-col gap-2 rounded-xl border border-line-strong bg-raised px-3.5 py-2.5 text-[13px] shadow-sm"
    >
      <h2 id={heading} className="text-xs font-semibold tracking-wide text-muted uppercase">
        {title}
      </h2>
      {announce && (
        <p role="alert" className="sr-only">
          {announce}
        </p>
      )}
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable: keys must reach it
        tabIndex={actions === undefined ? undefined : 0}
        className="flex min-h-0 flex-col gap-2 overflow-y-auto"
      >
        {children}
      </div>
      {actions}
    </section>
  );
}
