import type { PartOf, TurnId } from "@gadget/api";
import { useEffect, useEffectEvent, useState } from "react";
import { useSessionActions } from "../../session/session-context.ts";
import { Button } from "../ui/Button.tsx";
import { Dock } from "./Dock.tsx";

const mostKeys = 9;

/** Keys belong to what is being written; an empty composer has nothing to lose. */
function isWriting({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) {
    return false;
  }
  if (target instanceof HTMLTextAreaElement && target.id === "message") {
    return target.value !== "";
  }
  return target.isContentEditable || target.closest("input, textarea, select, dialog") !== null;
}

/** The question and its choices; words of one's own are written in the composer. */
export function QuestionDock({ turnId, part }: { turnId: TurnId; part: PartOf<"question"> }) {
  const actions = useSessionActions();
  const [isSending, setSending] = useState(false);
  const options = part.options ?? [];

  const answer = async (words: string): Promise<void> => {
    setSending(true);
    // The card closes when the server says so, in every tab; it only comes back on a refusal.
    if (!(await actions.answerQuestion(turnId, part.id, words))) {
      setSending(false);
    }
  };

  const choose = useEffectEvent((event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isWriting(event)) {
      return;
    }
    const option = /^[1-9]$/.test(event.key) ? options[Number(event.key) - 1] : undefined;
    if (option === undefined || isSending) {
      return;
    }
    event.preventDefault();
    void answer(option.label);
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => choose(event);
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  return (
    <Dock title="Question" announce={`Question: ${part.question}`}>
      <p className="whitespace-pre-wrap">{part.question}</p>
      {options.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {options.map(({ label, description }, at) => (
            <Button
              key={label}
              small
              aria-label={label}
              aria-keyshortcuts={at < mostKeys ? String(at + 1) : undefined}
              className="h-auto! min-h-7 max-w-full items-start! py-1 text-left whitespace-normal!"
              disabled={isSending}
              onClick={() => void answer(label)}
            >
              {at < mostKeys && (
                <kbd aria-hidden="true" className="font-sans text-xs leading-5 text-faint">
                  {at + 1}
                </kbd>
              )}
              <span className="flex flex-col">
                <span>{label}</span>
                {description && (
                  <span className="text-xs font-normal text-muted">{description}</span>
                )}
              </span>
            </Button>
          ))}
        </div>
      )}
    </Dock>
  );
}
