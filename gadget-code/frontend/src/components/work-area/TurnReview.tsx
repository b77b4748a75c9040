import type { TurnId } from "@gadget/api";
import { useState } from "react";
import { useRequest } from "../../lib/use-request.ts";
import { useSession } from "../../session/session-context.ts";
import { isRunning } from "../../session/turn-entry.ts";
import { Loading } from "../ui/Loading.tsx";
import { SelectField } from "../ui/SelectField.tsx";
import { DiffList } from "./DiffList.tsx";

/** What a turn changed in the workspace, as the drone's snapshot has it. */
export function TurnReview() {
  const order = useSession((state) => state.order);
  const turns = useSession((state) => state.turns);
  const changing = order.filter((id) => (turns.get(id)?.turn.filesChanged.length ?? 0) > 0);
  const [chosen, setChosen] = useState<string>();
  const turnId = changing.find((id) => id === chosen) ?? changing.at(-1);
  if (turnId === undefined) {
    return <p className="text-[13px] text-muted">No turn has changed a file yet.</p>;
  }
  const entry = turns.get(turnId);
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label="Turn"
        value={turnId}
        onChange={setChosen}
        options={changing.map((id) => ({
          value: id,
          label: `${turns.get(id)?.turn.prompt.slice(0, 60) || "Continued"}${turns.get(id)?.turn.undone ? " (undone)" : ""}`,
        }))}
      />
      {entry?.turn.undone && <p className="text-[13px] text-yellow">These changes were undone.</p>}
      <TurnDiffView turnId={turnId} isLive={entry !== undefined && isRunning(entry)} />
    </div>
  );
}

function TurnDiffView({ turnId, isLive }: { turnId: TurnId; isLive: boolean }) {
  const diff = useRequest("getDiff", { params: { id: turnId } }, isLive ? { everyMs: 3_000 } : {});
  return (
    <Loading of={diff}>
      {({ files, coverage }) => (
        <>
          {coverage === "edits" && (
            <p className="text-xs text-faint">
              Only files that tools wrote are known; changes made by commands are not.
            </p>
          )}
          {files.length === 0 && (
            <p className="text-[13px] text-muted">Nothing is different any more.</p>
          )}
          <DiffList files={files} />
        </>
      )}
    </Loading>
  );
}
