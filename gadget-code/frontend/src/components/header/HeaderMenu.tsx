import { type ChatSession, pathOf, routes } from "@gadget/api";
import { Ellipsis } from "lucide-react";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { SessionMenu } from "../sessions/SessionMenu.tsx";

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

export function HeaderMenu({ session, onFind }: Props) {
  const { request } = useServices();
  const { attempt } = useAttempt();
  const compact = () => attempt(() => request("compactSession", { params: { id: session.id } }));
  return (
    <SessionMenu
      session={session}
      label="Session menu"
      items={[
        { label: "Find in this session", onSelect: onFind },
        { label: "Compact", onSelect: () => void compact() },
        { label: "Export as Markdown", onSelect: () => download(session, "md") },
        { label: "Export as JSON", onSelect: () => download(session, "json") },
      ]}
    >
      <Ellipsis aria-hidden="true" className="size-4" />
    </SessionMenu>
  );
}
