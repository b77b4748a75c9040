import type { SessionId } from "@gadget/api";
import { useRequest } from "../../lib/use-request.ts";
import { Markdown } from "../markdown/Markdown.tsx";

const fileName = "AGENTS.md";

/** The AGENTS.md that the agent reads as context, as it is on the drone now. */
export function ProjectInstructions({ sessionId }: { sessionId: SessionId }) {
  const params = { id: sessionId };
  const root = useRequest("readFiles", { params });
  const isThere =
    root.data?.kind === "folder" && root.data.entries.some(({ name }) => name === fileName);
  const query = { path: fileName };
  const file = useRequest("readFiles", { params, query }, { enabled: isThere });
  if (file.data?.kind !== "file" || !file.data.text) {
    return null;
  }
  return (
    <details className="card px-4 py-3">
      <summary className="font-medium">{fileName}</summary>
      <div className="mt-3">
        <Markdown text={file.data.text} />
      </div>
    </details>
  );
}
