import type { Transcript } from "@gadget/api";
import { plainText } from "../print/plain-text.ts";

/** What a turn is doing now, in a few words. */
export function activity({ status, waitingFor, parts }: Transcript): string {
  if (status !== "processing") {
    return status;
  }
  if (waitingFor === "finishing") {
    return "finishing up";
  }
  const running = parts.flatMap((part) => {
    if (part.kind === "tool" && part.state !== "ended") {
      return [part.name];
    }
    if ((part.kind === "question" || part.kind === "approval") && part.open) {
      return ["waits for you"];
    }
    if (part.kind === "reasoning" && part.open) {
      return ["thinking"];
    }
    if (part.kind === "notice" && part.open === true) {
      return [part.text];
    }
    return [];
  });
  return plainText([...new Set(running)].join(", "));
}
