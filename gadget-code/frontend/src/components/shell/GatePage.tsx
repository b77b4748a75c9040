import type { ReactNode } from "react";
import { usePageTitle } from "./use-page-title.ts";

/** The frame of the pages in front of the door: set-up, sign-in, waiting. */
export function GatePage({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="w-full max-w-sm">
        <p className="mb-5 flex items-center justify-center gap-2 text-[13px] font-semibold text-muted">
          <img src="/favicon.svg" alt="" className="size-5" />
          Gadget Code
        </p>
        <div className="card p-6 shadow-sm">
          <h1 className="mb-4 text-lg font-semibold">{title}</h1>
          {children}
        </div>
      </div>
    </main>
  );
}
