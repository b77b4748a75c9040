import { ChevronRight } from "lucide-react";
import type { ReactNode, Ref } from "react";

interface Props {
  ref?: Ref<HTMLDetailsElement>;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  /** The colour of its state. */
  dot: string;
  /** Its one line. */
  summary: ReactNode;
  children: ReactNode;
}

/** What a turn did, in a line that opens. */
export function FoldedCard({ ref, isOpen, onToggle, dot, summary, children }: Props) {
  return (
    <details
      ref={ref}
      open={isOpen}
      onToggle={(event) => onToggle(event.currentTarget.open)}
      className="overflow-hidden rounded-lg border border-line bg-raised text-[13px]"
    >
      <summary className="flex items-center gap-2 px-3 py-1.5 select-none hover:bg-hover">
        <ChevronRight
          aria-hidden="true"
          className={`-ml-1 size-3.5 shrink-0 text-faint ${isOpen ? "rotate-90" : ""}`}
        />
        <span aria-hidden="true" className={`size-1.5 shrink-0 rounded-full ${dot}`} />
        {summary}
      </summary>
      {isOpen && <div className="border-t border-line">{children}</div>}
    </details>
  );
}
