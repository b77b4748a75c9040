import { type ReactNode, useEffect, useId, useRef, useState } from "react";

export interface MenuItem {
  label: string;
  onSelect: () => void;
  isDanger?: boolean;
}

interface Props {
  label: string;
  items: readonly MenuItem[];
  children: ReactNode;
}

/** A button and its menu: arrows move, Esc and a press outside close it. */
export function Menu({ label, items, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();

  useEffect(() => {
    if (!isOpen) return;
    const entries = () => [
      ...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
    ];
    entries()[0]?.focus();
    const onPointerDown = (event: PointerEvent): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const all = entries();
      const at = all.findIndex((entry) => entry === document.activeElement);
      if (event.key === "Escape") {
        setOpen(false);
        button.current?.focus();
      } else if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
      else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length]?.focus();
      else if (event.key === "Tab") setOpen(false);
      else return;
      if (event.key !== "Tab") event.preventDefault();
    };
    const element = root.current;
    document.addEventListener("pointerdown", onPointerDown);
    element?.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("pointerdown", onPointerDown);
      element?.removeEventListener("keydown", onKeyDown);
    };
  }, [isOpen]);

  return (
    <div ref={root} className="relative shrink-0">
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        className="rounded p-1.5 text-muted hover:bg-hover aria-expanded:bg-hover"
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div
          id={id}
          role="menu"
          aria-label={label}
          className="absolute right-0 z-40 mt-1 min-w-44 rounded-lg border border-line-strong bg-raised p-1 shadow-lg"
        >
          {items.map(({ label: text, onSelect, isDanger }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={`block w-full rounded-md px-2.5 py-1 text-left text-[13px] hover:bg-hover focus:bg-hover focus:outline-none ${isDanger ? "text-danger" : ""}`}
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                onSelect();
              }}
            >
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
