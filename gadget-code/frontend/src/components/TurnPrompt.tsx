import type { ChatTurn } from "@gadget/api";

/** The prompt is the turn's heading: that is how one finds a turn again. */
export function TurnPrompt({ turn, headingId }: { turn: ChatTurn; headingId: string }) {
  if (turn.prompt === "") {
    return (
      <h2 id={headingId} className="text-[13px] font-medium text-muted">
        Continued from where it was cut off
      </h2>
    );
  }
  const [title = ""] = turn.prompt.split("\n", 1);
  return (
    <div className="rounded-lg border border-line bg-panel px-3.5 py-2.5">
      <h2 id={headingId} className="sr-only">
        {title.slice(0, 60)}
      </h2>
      <p className="whitespace-pre-wrap">{turn.prompt}</p>
    </div>
  );
}
