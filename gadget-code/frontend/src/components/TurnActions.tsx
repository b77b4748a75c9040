import { type ChatTurn, turnActions } from "@gadget/api";
import { useSession, useSessionActions } from "../session/session-context.ts";
import { runningEntry } from "../session/session-state.ts";
import { useEditAgain } from "../session/use-edit-again.ts";
import { Button } from "./Button.tsx";

/** What a turn that was cut off offers. Only the latest can go on. */
export function TurnActions({ turn }: { turn: ChatTurn }) {
  const actions = useSessionActions();
  const editAgain = useEditAgain();
  const isLast = useSession((state) => state.order.at(-1) === turn.id);
  const isFree = useSession((state) => runningEntry(state) === undefined);
  if (!isLast || !isFree || !turnActions(turn.status).continue) return null;
  return (
    <div className="mt-1 flex flex-wrap gap-2">
      <Button small onClick={() => void actions.submit({ continues: turn.id })}>
        Continue
      </Button>
      {turn.prompt !== "" && (
        <Button small onClick={() => editAgain(turn.prompt)}>
          Edit and resend
        </Button>
      )}
    </div>
  );
}
