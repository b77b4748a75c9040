import { count, type FileDiff } from "@gadget/api";
import { RefreshCw } from "lucide-react";
import { useRequest } from "../../lib/use-request.ts";
import { useSessionFeed } from "../../session/session-context.ts";
import { Button } from "../ui/Button.tsx";
import { Loading } from "../ui/Loading.tsx";
import { DiffList } from "./DiffList.tsx";

function summary(files: readonly FileDiff[]): string {
  const sum = (of: "added" | "removed") => files.reduce((total, { file }) => total + file[of], 0);
  return `${count(files.length, "file")} changed · +${sum("added")} −${sum("removed")}`;
}

/** All that is not committed, whoever changed it. */
export function WorkspaceReview() {
  const { sessionId } = useSessionFeed();
  const diff = useRequest("getWorkspaceDiff", { params: { id: sessionId } });
  return (
    <Loading of={diff}>
      {({ files, omitted, note }) => (
        <>
          <div className="flex items-center justify-between gap-3">
            <p className="text-[13px] text-muted">
              {note ??
                (files.length === 0 ? "Nothing differs from the last commit." : summary(files))}
            </p>
            <Button small tone="quiet" aria-label="Compare again" onClick={diff.reload}>
              <RefreshCw aria-hidden="true" className="size-3.5" />
            </Button>
          </div>
          {diff.problem && <p className="text-xs text-orange">{diff.problem}</p>}
          <DiffList files={files} />
          {omitted > 0 && (
            <p className="text-[13px] text-muted">
              {count(omitted, "more changed file")} not shown.
            </p>
          )}
        </>
      )}
    </Loading>
  );
}
