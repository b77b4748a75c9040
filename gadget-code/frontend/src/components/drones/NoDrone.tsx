import { useState } from "react";
import { useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { AddDroneDialog } from "./AddDroneDialog.tsx";

/** For somebody who has none: what to do next. */
export function NoDrone() {
  const [isAdding, setAdding] = useState(false);
  const me = useRequest("me", {});
  const owner = me.data?.ownerName;
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        {owner === undefined
          ? "You have no drone yet. Add one first."
          : `You have no drone. Ask ${owner} to share one, or add yours.`}
      </p>
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
