import { insertText } from "./insert-text.ts";

/** Names a file in the composer of the session that is open, where the caret is. */
export function mentionFile(path: string): void {
  const box = document.getElementById("message");
  if (!(box instanceof HTMLTextAreaElement)) {
    return;
  }
  const before = box.value.slice(0, box.selectionStart);
  insertText(box, `${/(?:^|\s)$/.test(before) ? "" : " "}@${path} `);
}
