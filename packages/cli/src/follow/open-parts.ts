import type { PartOf, Transcript } from "@gadget/api";

export type OpenPart = PartOf<"question"> | PartOf<"approval">;

/** The questions and approvals that wait for a person; none once an abort is under way. */
export function openParts({ parts, status }: Transcript): OpenPart[] {
  if (status !== "processing" && status !== "queued") {
    return [];
  }
  return parts.filter(
    (part): part is OpenPart => (part.kind === "question" || part.kind === "approval") && part.open,
  );
}

/** A number stands for the option of that place; everything else is the answer itself. */
export function answerOf({ options = [] }: PartOf<"question">, typed: string): string {
  const text = typed.trim();
  const option = /^\d{1,3}$/.test(text) ? options[Number(text) - 1] : undefined;
  return option?.label ?? text;
}
