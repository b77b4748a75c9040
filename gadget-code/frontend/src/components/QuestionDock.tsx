import type { PartOf, TurnId } from "@gadget/api";
import { type FormEvent, useState } from "react";
import { useSessionActions } from "../session/session-context.ts";
import { Button } from "./Button.tsx";
import { Dock } from "./Dock.tsx";

export function QuestionDock({ turnId, part }: { turnId: TurnId; part: PartOf<"question"> }) {
  const actions = useSessionActions();
  const [text, setText] = useState("");
  const [isSending, setSending] = useState(false);

  const answer = async (words: string): Promise<void> => {
    setSending(true);
    // The card closes when the server says so, in every tab; it only comes back on a refusal.
    if (!(await actions.answerQuestion(turnId, part.id, words))) setSending(false);
  };

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== "") void answer(text.trim());
  };

  return (
    <Dock
      title="Question"
      announce={`Question: ${part.question}`}
      actions={
        <form onSubmit={onSubmit} className="flex gap-2">
          <input
            className="field"
            aria-label="Your answer"
            placeholder="Or answer in your own words"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" tone="primary" disabled={isSending || text.trim() === ""}>
            Answer
          </Button>
        </form>
      }
    >
      <p className="whitespace-pre-wrap">{part.question}</p>
      {part.options && part.options.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {part.options.map(({ label, description }) => (
            <Button
              key={label}
              small
              className="h-auto! min-h-7 max-w-full flex-col items-start! gap-0! py-1 text-left whitespace-normal!"
              disabled={isSending}
              onClick={() => void answer(label)}
            >
              <span>{label}</span>
              {description && <span className="text-xs font-normal text-muted">{description}</span>}
            </Button>
          ))}
        </div>
      )}
    </Dock>
  );
}
