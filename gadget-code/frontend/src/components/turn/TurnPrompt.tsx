import type { ChatTurn } from "@gadget/api";
import { Pencil } from "lucide-react";
import { useEditPrompt } from "../../session/use-edit-prompt.ts";
import { CopyButton } from "../ui/CopyButton.tsx";
import { useOffers } from "./TurnActions.tsx";

/** The prompt is the turn's heading: that is how one finds a turn again. */
export function TurnPrompt({ turn, headingId }: { turn: ChatTurn; headingId: string }) {
  const { edit } = useEditPrompt();
  // A turn that was cut off offers it below.
  const isOffered = useOffers(turn);
  if (turn.prompt === "") {
    return (
      <h2 id={headingId} className="text-[13px] font-medium text-muted">
        {turn.kind === "compact"
          ? "Compact the conversation"
          : "Continued from where it was cut off"}
      </h2>
    );
  }
  const [title = ""] = turn.prompt.split("\n", 1);
  return (
    <div className="group relative rounded-lg border border-line bg-panel px-3.5 py-2.5">
      <h2 id={headingId} className="sr-only">
        {title.slice(0, 60)}
      </h2>
      <p dir="auto" className="whitespace-pre-wrap">
        {turn.prompt}
      </p>
      {/* Where nothing hovers it is always there; it stands apart from the text then. */}
      <div className="absolute top-1.5 right-1.5 flex gap-0.5 rounded-md bg-panel opacity-0 group-hover:opacity-100 focus-within:opacity-100 pointer-coarse:static pointer-coarse:mt-1 pointer-coarse:justify-end pointer-coarse:opacity-100">
        {!isOffered && (
          <button
            type="button"
            aria-label="Edit and resend"
            title="Edit and resend in a copy of the session"
            className="rounded p-1.5 text-faint hover:bg-hover hover:text-ink"
            onClick={() => edit(turn)}
          >
            <Pencil aria-hidden="true" className="size-3.5" />
          </button>
        )}
        <CopyButton text={turn.prompt} label="Copy this prompt" />
      </div>
    </div>
  );
}
