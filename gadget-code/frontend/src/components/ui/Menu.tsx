import {
  type CSSProperties,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

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

const gapPx = 4;

/** A button and its menu: arrows move, Esc and a press outside close it. */
export function Menu({ label, items, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [place, setPlace] = useState<CSSProperties>({});
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();

  // Where it opens may scroll and cut off what reaches over its edge; the window does not.
  useLayoutEffect(() => {
    const at = isOpen ? button.current?.getBoundingClientRect() : undefined;
    if (at === undefined) {
      return;
    }
    const height = menu.current?.offsetHeight ?? 0;
    const isBelow = at.bottom + gapPx + height <= window.innerHeight;
    const top = isBelow ? at.bottom + gapPx : Math.max(gapPx, at.top - gapPx - height);
    const width = menu.current?.offsetWidth ?? 0;
    setPlace({ top, left: Math.max(gapPx, at.right - width) });
  }, [isOpen]);

  useEffect(() => {
    if (!isOpen) {
      return;
    }
    const entries = () => [
      ...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
    ];
    entries()[0]?.focus();
    const onPointerDown = (event: PointerEvent): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) {
        setOpen(false);
      }
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const all = entries();
      const at = all.findIndex((entry) => entry === document.activeElement);
      if (event.key === "Escape") {
        setOpen(false);
        button.current?.focus();
      } else if (event.key === "ArrowDown") {
        all[(at + 1) % all.length]?.focus();
      } else if (event.key === "ArrowUp") {
        all[(at - 1 + all.length) % all.length]?.focus();
      } else if (event.key === "Tab") {
        setOpen(false);
      } else {
        return;
      }
      if (event.key !== "Tab") {
        event.preventDefault();
      }
    };
    const element = root.current;
    // It stands where its button was.
    const onScroll = (): void => setOpen(false);
    window.addEventListener("scroll", onScroll, true);
    document.addEventListener("pointerdown", onPointerDown);
    element?.addEventListener("keydown", onKeyDown);
    return () => {
      window.removeEventListener("scroll", onScroll, true);
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
          ref={menu}
          id={id}
          role="menu"
          aria-label={label}
          style={place}
          className="fixed z-40 min-w-44 rounded-lg border border-line-strong bg-raised p-1 shadow-lg"
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
