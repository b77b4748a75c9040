/**
 * Puts other text into a textbox as if somebody had typed it, so that Ctrl+Z takes it back; a value
 * that a script sets mixes up the browser's own undo. False where the browser can't do it.
 */
export function replaceText(box: HTMLTextAreaElement, text: string): boolean {
  box.focus();
  box.select();
  if (!("execCommand" in document)) {
    return false;
  }
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else writes into the undo history
  return text === ""
    ? document.execCommand("delete")
    : document.execCommand("insertText", false, text);
}
