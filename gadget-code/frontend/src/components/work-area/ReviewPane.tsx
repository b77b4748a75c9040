import { useState } from "react";
import { Segments } from "../ui/Segments.tsx";
import { TurnReview } from "./TurnReview.tsx";
import { WorkspaceReview } from "./WorkspaceReview.tsx";

const views = { turn: TurnReview, workspace: WorkspaceReview } as const;
const options = [
  { value: "turn", label: "Turn" },
  { value: "workspace", label: "Workspace" },
] as const;

/** What changed: by a turn, or in the whole workspace since its last commit. */
export function ReviewPane() {
  const [of, setOf] = useState<keyof typeof views>("turn");
  const View = views[of];
  return (
    <div className="flex flex-col gap-3">
      <Segments label="Changes of" value={of} options={options} onChange={setOf} />
      <View />
    </div>
  );
}
