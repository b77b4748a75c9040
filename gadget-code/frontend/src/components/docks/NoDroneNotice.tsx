import { ProjectId } from "@gadget/api";
import { useState } from "react";
import { useRequest } from "../../lib/use-request.ts";
import { useSession } from "../../session/session-context.ts";
import { ChooseDroneDialog } from "../drones/ChooseDroneDialog.tsx";

/** Never asked for. */
const noProject = ProjectId.parse("no-project");

/** The session's project has no drone any more: it was revoked, or is not shared. */
export function NoDroneNotice() {
  const session = useSession((state) => state.session);
  const drones = useRequest("listDrones", {});
  const [isChoosing, setChoosing] = useState(false);
  const droneId = session?.droneId ?? null;
  const list = drones.data;
  const isUnshared =
    droneId !== null &&
    list !== undefined &&
    list.nextCursor === null &&
    !list.items.some(({ id }) => id === droneId);
  const project = useRequest(
    "getProject",
    { params: { id: session?.projectId ?? noProject } },
    { enabled: session !== undefined && droneId === null },
  );
  const isRevoked = droneId === null && project.data?.project.lostDrone !== undefined;
  if (session === undefined || !(isUnshared || isRevoked)) {
    return null;
  }
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-2 rounded-lg bg-orange-soft px-3.5 py-2 text-[13px] text-orange"
    >
      <span>
        {isRevoked
          ? "This project's drone was revoked. What you send waits until you choose another."
          : "This project's drone is not shared with you any more."}
      </span>
      <button type="button" className="font-medium underline" onClick={() => setChoosing(true)}>
        Choose another
      </button>
      {isChoosing && (
        <ChooseDroneDialog
          projectId={session.projectId}
          droneId={droneId}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}
