import type { ChatTurn } from "@gadget/api";
import { useState } from "react";
import { UndoDialog } from "./UndoDialog.tsx";

export function UndoChanges({ turn }: { turn: ChatTurn }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {turn.undone && (
        <>
          <span className="text-yellow">Undone</span>
          <span aria-hidden="true">·</span>
        </>
      )}
      <button
        type="button"
        aria-label={turn.undone ? "Redo changes" : undefined}
        className="rounded font-medium underline underline-offset-2 hover:no-underline"
        onClick={() => setOpen(true)}
      >
        {turn.undone ? "Redo" : "Undo changes"}
      </button>
      {isOpen && <UndoDialog turnId={turn.id} onClose={() => setOpen(false)} />}
    </>
  );
}
