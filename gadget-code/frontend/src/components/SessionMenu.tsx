import { type ChatSession, pathOf, routes } from "@gadget/api";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate } from "../lib/use-request.ts";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { Menu } from "./Menu.tsx";

/** The server names the file; the browser saves it. */
function download(session: ChatSession, format: "md" | "json"): void {
  const link = document.createElement("a");
  link.href = `${pathOf(routes.exportSession.path, { id: session.id })}?format=${format}`;
  link.download = `${session.title.replace(/[^\w-]+/g, "-").slice(0, 60)}.${format}`;
  link.click();
}

interface Props {
  session: ChatSession;
  onFind: () => void;
}

export function SessionMenu({ session, onFind }: Props) {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const { attempt } = useAttempt();
  const [isRemoving, setRemoving] = useState(false);
  const remove = () =>
    attempt(async () => {
      await request("deleteSession", { params: { id: session.id } });
      invalidate("listSessions", "listProjectSessions");
      await navigate("/");
    });
  return (
    <>
      <Menu
        label="Session menu"
        items={[
          { label: "Find in this session", onSelect: onFind },
          { label: "Export as Markdown", onSelect: () => download(session, "md") },
          { label: "Export as JSON", onSelect: () => download(session, "json") },
          { label: "Delete session", isDanger: true, onSelect: () => setRemoving(true) },
        ]}
      >
        <Ellipsis aria-hidden="true" className="size-4" />
      </Menu>
      {isRemoving && (
        <ConfirmDialog
          title="Delete this session?"
          verb="Delete"
          onConfirm={() => void remove()}
          onClose={() => setRemoving(false)}
        >
          Its turns are deleted with it. Files in the workspace stay.
        </ConfirmDialog>
      )}
    </>
  );
}
