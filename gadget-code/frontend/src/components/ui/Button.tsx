import type { ButtonHTMLAttributes, Ref } from "react";

const tones = {
  primary: "bg-accent-fill text-white hover:brightness-110 border-transparent",
  danger: "bg-danger-fill text-white hover:brightness-110 border-transparent",
  plain: "bg-raised text-ink border-line-strong hover:bg-hover",
  quiet: "bg-transparent text-muted border-transparent hover:bg-hover hover:text-ink",
} as const;

export type ButtonTone = keyof typeof tones;

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: ButtonTone;
  small?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ tone = "plain", small = false, className = "", type, ...rest }: Props) {
  const size = small ? "h-7 px-2.5 text-[13px]" : "h-8 px-3.5";
  return (
    <button
      type={type ?? "button"}
      className={`inline-flex shrink-0 items-center justify-center gap-1.5 rounded-[7px] border font-medium whitespace-nowrap transition-colors disabled:opacity-55 disabled:hover:brightness-100 ${size} ${tones[tone]} ${className}`}
      {...rest}
    />
  );
}
