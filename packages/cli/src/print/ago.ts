import { duration } from "@gadget/api";

/** How long ago, in its largest unit only. */
export function ago(instant: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(instant)) / 1_000);
  if (seconds < 1) {
    return "now";
  }
  const text = seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
  return `${text.split(" ").slice(0, 2).join(" ")} ago`;
}
