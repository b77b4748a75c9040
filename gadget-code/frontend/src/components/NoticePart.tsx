import type { PartOf } from "@gadget/api";

const looks: Record<PartOf<"notice">["level"], string> = {
  info: "text-faint",
  warning: "text-orange",
  error: "text-danger",
};

export function NoticePart({ part }: { part: PartOf<"notice"> }) {
  return <p className={`text-[13px] whitespace-pre-wrap ${looks[part.level]}`}>{part.text}</p>;
}
