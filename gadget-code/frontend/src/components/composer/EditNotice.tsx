import { useEditPrompt } from "../../session/use-edit-prompt.ts";
import { Button } from "../ui/Button.tsx";

/** Over the composer while it holds an earlier prompt. */
export function EditNotice() {
  const { isEditing, discard } = useEditPrompt();
  if (!isEditing) {
    return null;
  }
  return (
    <div className="flex items-center gap-3 rounded-t-xl border-b border-line bg-panel py-1 pr-2 pl-3.5 text-[13px] text-muted">
      <p role="status" className="min-w-0 flex-1">
        Sending makes a copy of this session up to that prompt. Files stay as they are.
      </p>
      <Button small tone="quiet" onClick={discard}>
        Discard edit
      </Button>
    </div>
  );
}
