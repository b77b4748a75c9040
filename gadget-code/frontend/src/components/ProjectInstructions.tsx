import type { SessionId } from "@gadget/api";
import { useRequest } from "../lib/use-request.ts";
import { Markdown } from "./Markdown.tsx";

/** The AGENTS.md that the agent reads as context, as it is on the drone now. */
export function ProjectInstructions({ sessionId }: { sessionId: SessionId }) {
  const file = useRequest("readFiles", { params: { id: sessionId }, query: { path: "AGENTS.md" } });
  if (file.data?.kind !== "file" || !file.data.text) return null;
  return (
    <details className="card px-4 py-3">
      <summary className="font-medium">AGENTS.md</summary>
      <div className="mt-3">
        <Markdown text={file.data.text} />
      </div>
    </details>
  );
}
