import type { ChatTurn } from "@gadget/api";
import { Pencil } from "lucide-react";
import { useEditAgain } from "../session/use-edit-again.ts";
import { CopyButton } from "./CopyButton.tsx";

/** The prompt is the turn's heading: that is how one finds a turn again. */
export function TurnPrompt({ turn, headingId }: { turn: ChatTurn; headingId: string }) {
  const editAgain = useEditAgain();
  if (turn.prompt === "") {
    return (
      <h2 id={headingId} className="text-[13px] font-medium text-muted">
        Continued from where it was cut off
      </h2>
    );
  }
  const [title = ""] = turn.prompt.split("\n", 1);
  return (
    <div className="group relative rounded-lg border border-line bg-panel px-3.5 py-2.5">
      <h2 id={headingId} className="sr-only">
        {title.slice(0, 60)}
      </h2>
      <p className="whitespace-pre-wrap">{turn.prompt}</p>
      {/* Where nothing hovers it is always there; it stands apart from the text then. */}
      <div className="absolute top-1.5 right-1.5 flex gap-0.5 rounded-md bg-panel opacity-0 group-hover:opacity-100 focus-within:opacity-100 pointer-coarse:static pointer-coarse:mt-1 pointer-coarse:justify-end pointer-coarse:opacity-100">
        <button
          type="button"
          aria-label="Edit this prompt"
          title="Edit and resend"
          className="rounded p-1.5 text-faint hover:bg-hover hover:text-ink"
          onClick={() => editAgain(turn.prompt)}
        >
          <Pencil aria-hidden="true" className="size-3.5" />
        </button>
        <CopyButton text={turn.prompt} label="Copy this prompt" />
      </div>
    </div>
  );
}
