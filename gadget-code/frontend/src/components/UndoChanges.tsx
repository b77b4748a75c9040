import type { ChatTurn } from "@gadget/api";
import { useState } from "react";
import { UndoDialog } from "./UndoDialog.tsx";

export function UndoChanges({ turn }: { turn: ChatTurn }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="rounded font-medium underline underline-offset-2 hover:no-underline"
        onClick={() => setOpen(true)}
      >
        Undo changes
      </button>
      {isOpen && <UndoDialog turnId={turn.id} onClose={() => setOpen(false)} />}
    </>
  );
}
