import type { ReactNode } from "react";

const tones = {
  yellow: "border-yellow-line bg-yellow-soft text-yellow",
  red: "border-danger-line bg-danger-soft text-danger",
  orange: "border-orange-line bg-orange-soft text-orange",
} as const;

interface Props {
  tone: keyof typeof tones;
  title: string;
  children?: ReactNode;
}

export function Callout({ tone, title, children }: Props) {
  return (
    <div
      className={`flex flex-col gap-1.5 rounded-lg border px-3.5 py-2.5 text-[13px] ${tones[tone]}`}
    >
      <p className="font-medium">{title}</p>
      {children}
    </div>
  );
}
