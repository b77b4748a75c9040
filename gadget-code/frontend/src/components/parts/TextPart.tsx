import type { PartOf } from "@gadget/api";
import { Markdown } from "../markdown/Markdown.tsx";

export function TextPart({ part }: { part: PartOf<"text"> }) {
  if (part.text === "") {
    return null;
  }
  return <Markdown text={part.text} isLive={part.open} />;
}
