/** Puts text into a textbox as if it were typed at the caret, so that Ctrl+Z takes it back. */
export function insertText(box: HTMLTextAreaElement, text: string): void {
  box.focus();
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else writes into the undo history
  if ("execCommand" in document && document.execCommand("insertText", false, text)) {
    return;
  }
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}
