import { type ReactNode, useEffect, useId, useRef } from "react";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** Its top stays where it is while its content changes. */
  isPinned?: boolean;
}

/** The browser's own modal dialog: it keeps the focus inside, and Esc closes it. */
export function Dialog({ title, onClose, children, wide = false, isPinned = false }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    if (dialog && !dialog.open) {
      dialog.showModal();
    }
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) {
        opener.focus();
      }
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) {
          onClose();
        }
      }}
      className={`${isPinned ? "mx-auto mt-[12vh] mb-auto" : "m-auto"} max-h-[85vh] w-[calc(100vw-2rem)] overflow-auto rounded-xl border border-line bg-raised p-0 text-ink shadow-2xl outline-none ${wide ? "max-w-4xl" : "max-w-xl"}`}
    >
      <div className="p-5">
        <h2 id={heading} className="mb-3 text-base font-semibold">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
