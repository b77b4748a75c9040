import type { ReactNode } from "react";

export function Facts({ facts }: { facts: readonly [string, ReactNode][] }) {
  return (
    <dl className="card grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 px-4 py-3 text-[13px]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words whitespace-pre-line">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
