import type { ReactNode } from "react";

const places = { start: "", end: "justify-end", wide: "*:flex-1" } as const;

interface Props {
  /** Why the last try failed. */
  problem: string | undefined;
  /** wide: one button as wide as the form */
  place?: keyof typeof places;
  children: ReactNode;
}

/** How a form ends: what went wrong, and its buttons. */
export function FormFooter({ problem, place = "start", children }: Props) {
  return (
    <>
      {problem && (
        <p role="alert" className="text-[13px] text-danger">
          {problem}
        </p>
      )}
      <div className={`flex gap-2 ${places[place]}`}>{children}</div>
    </>
  );
}
