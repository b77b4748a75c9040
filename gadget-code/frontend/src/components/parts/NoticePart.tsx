import type { PartOf } from "@gadget/api";
import { modelWaitRecord } from "../../session/model-wait-words.ts";

const looks: Record<PartOf<"notice">["level"], string> = {
  info: "text-faint",
  warning: "text-orange",
  error: "text-danger",
};

export function NoticePart({ part }: { part: PartOf<"notice"> }) {
  const text = part.waiting === undefined ? part.text : modelWaitRecord(part.waiting);
  return (
    <p
      className={`text-[13px] whitespace-pre-wrap break-words tabular-nums ${looks[part.level]}`}
      aria-busy={part.open === true}
    >
      {part.open === true && (
        <span
          aria-hidden="true"
          className="pulse mr-2 inline-block size-1.5 rounded-full bg-blue align-middle"
        />
      )}
      {text}
    </p>
  );
}
