import type { QueuedMessage } from "@gadget/api";
import { type KeyboardEvent, useState } from "react";
import { isComposing } from "../../lib/is-composing.ts";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { Button } from "../ui/Button.tsx";

/** Enter saves, Shift+Enter breaks the line, Esc leaves. */
export function QueueItemEditor({
  message,
  onClose,
}: {
  message: QueuedMessage;
  onClose: () => void;
}) {
  const { request } = useServices();
  const { attempt, isBusy, problem } = useAttempt({ inline: true });
  const [text, setText] = useState(message.text);
  const params = { id: message.sessionId, messageId: message.id };
  const save = (): void => {
    if (text.trim() === "" || isBusy) {
      return;
    }
    void attempt(async () => {
      await request("updateQueued", { params, body: { text } });
      onClose();
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) {
      return;
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      save();
    } else if (event.key === "Escape") {
      // It closes the editor and does not arm the abort.
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
  };
  return (
    <div className="flex flex-wrap items-start gap-2">
      <textarea
        className="field min-w-0 flex-1 basis-48"
        aria-label="Edit the message"
        value={text}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was opened by a press on Edit
        autoFocus
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button small tone="primary" disabled={text.trim() === "" || isBusy} onClick={save}>
        Save
      </Button>
      <Button small tone="quiet" onClick={onClose}>
        Cancel edit
      </Button>
      {problem && <p className="w-full text-xs text-danger">{problem}</p>}
    </div>
  );
}
