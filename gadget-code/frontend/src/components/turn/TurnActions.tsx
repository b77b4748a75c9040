import { type ChatTurn, turnActions } from "@gadget/api";
import { useSession, useSessionActions } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { useEditPrompt } from "../../session/use-edit-prompt.ts";
import { Button } from "../ui/Button.tsx";

/** Whether a turn was cut off and may go on: only the latest can, and while nothing runs. */
export function useOffers(turn: ChatTurn): boolean {
  const isLast = useSession((state) => state.order.at(-1) === turn.id);
  const isFree = useSession((state) => runningEntry(state) === undefined);
  return turn.kind !== "compact" && isLast && isFree && turnActions(turn.status).continue;
}

/** What a turn that was cut off offers. */
export function TurnActions({ turn }: { turn: ChatTurn }) {
  const actions = useSessionActions();
  const { edit } = useEditPrompt();
  if (!useOffers(turn)) {
    return null;
  }
  return (
    <div className="mt-1 flex flex-wrap gap-2">
      <Button small onClick={() => void actions.submit({ continues: turn.id })}>
        Continue
      </Button>
      {turn.prompt !== "" && (
        <Button small onClick={() => edit(turn)}>
          Edit and resend
        </Button>
      )}
    </div>
  );
}
