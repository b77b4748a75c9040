import { count, type TurnId, type UndoResult } from "@gadget/api";
import { useEffect, useState } from "react";
import { sentenceOf } from "../../lib/api.ts";
import { useServices } from "../../lib/services.ts";
import { showToast } from "../../lib/toast.ts";
import { DiffView } from "../code/DiffView.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";

const done = { created: "was created", modified: "was changed back", deleted: "was deleted" };

/** Says what is asked for, where that is to delete a file. */
function titleOf(preview: UndoResult | undefined): string {
  const [only, more] = preview?.restored ?? [];
  if (only?.file.change === "deleted" && more === undefined) {
    return `Delete ${only.file.path}?`;
  }
  return preview?.redo ? "Redo changes" : "Undo changes";
}

function doneWords({ restored, redo }: UndoResult): string {
  const [only, more] = restored;
  if (only !== undefined && more === undefined) {
    const { path, change } = only.file;
    return `${path} ${redo && change === "modified" ? "was changed again" : done[change]}.`;
  }
  return `${count(restored.length, "file")} ${redo ? "restored" : "undone"}.`;
}

/** A drone's reason goes on after a colon. */
function clause(reason: string): string {
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}

/** Shows what an undo would do before it does it; hand-made edits are named and left alone. */
export function UndoDialog({ turnId, onClose }: { turnId: TurnId; onClose: () => void }) {
  const { request } = useServices();
  const [preview, setPreview] = useState<UndoResult>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    let stale = false;
    request("undoTurn", { params: { id: turnId }, body: { preview: true } }).then(
      (result) => stale || setPreview(result),
      (error: unknown) => stale || setProblem(sentenceOf(error)),
    );
    return () => {
      stale = true;
    };
  }, [request, turnId]);

  const redo = (): void => {
    request("undoTurn", { params: { id: turnId }, body: {} }).then(
      (result) => showToast(doneWords(result), { tone: "success" }),
      (error: unknown) => showToast(sentenceOf(error), { tone: "error" }),
    );
  };

  const undo = async (): Promise<void> => {
    setBusy(true);
    try {
      const result = await request("undoTurn", { params: { id: turnId }, body: {} });
      const action = { label: "Redo", run: redo };
      showToast(doneWords(result), { tone: "success", ...(!result.redo && { action }) });
      onClose();
    } catch (error) {
      setProblem(sentenceOf(error));
      setBusy(false);
    }
  };

  return (
    <Dialog title={titleOf(preview)} onClose={onClose}>
      {problem && <p className="text-danger">{problem}</p>}
      {!preview && !problem && <p className="text-muted">Asking the drone what would change…</p>}
      {preview && (
        <div className="flex flex-col gap-3">
          {preview.restored.length === 0 && <p className="text-muted">There is nothing to undo.</p>}
          {preview.restored.map(({ file, diff }) => (
            <DiffView key={file.path} path={file.path} diff={diff} />
          ))}
          {preview.skipped.map(({ path, reason }) => (
            <p key={path} className="text-[13px] text-orange">
              {path} is left alone: {clause(reason)}
            </p>
          ))}
        </div>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Close</Button>
        <Button
          tone="primary"
          disabled={isBusy || !preview || preview.restored.length === 0}
          onClick={() => void undo()}
        >
          {preview?.redo ? "Redo" : "Undo"}
        </Button>
      </div>
    </Dialog>
  );
}
