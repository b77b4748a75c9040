import type { ReactNode } from "react";
import { usePageTitle } from "./use-page-title.ts";

interface Props {
  title: string;
  /** What the browser's tab says, where that is not the title. */
  tabTitle?: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page of lists and forms: a heading, what can be done, the rest. */
export function PageFrame({ title, tabTitle, actions, children }: Props) {
  usePageTitle(tabTitle ?? title);
  return (
    <main id="content" tabIndex={-1} className="h-full overflow-y-auto outline-none">
      <div className="mx-auto flex w-full max-w-4xl flex-col gap-6 px-4 py-6 sm:px-6">
        <div className="flex flex-wrap items-center gap-3">
          <h1 title={title} className="min-w-0 flex-1 truncate text-lg font-semibold">
            {title}
          </h1>
          {actions}
        </div>
        {children}
      </div>
    </main>
  );
}
