import { useState } from "react";
import { useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { AddDroneDialog } from "./AddDroneDialog.tsx";

function noDroneWords(hasOne: boolean, owner: string | undefined): string {
  const none = hasOne ? "There is no other drone" : "You have no drone";
  if (owner !== undefined) {
    return `${none}. Ask ${owner} to share one, or add yours.`;
  }
  return hasOne ? `${none}. Add one first.` : `${none} yet. Add one first.`;
}

/** What to do next for somebody who has none, or none but the one that is in use. */
export function NoDrone({ hasOne = false }: { hasOne?: boolean }) {
  const [isAdding, setAdding] = useState(false);
  const me = useRequest("me", {});
  return (
    <div className="flex flex-col items-start gap-3">
      <p>{noDroneWords(hasOne, me.data?.ownerName)}</p>
      <p className="text-[13px] text-muted">
        A drone is a worker on a machine: it holds the folders, calls the model and runs the
        commands.
      </p>
      <Button tone="primary" onClick={() => setAdding(true)}>
        Add a drone
      </Button>
      {isAdding && <AddDroneDialog onClose={() => setAdding(false)} />}
    </div>
  );
}
