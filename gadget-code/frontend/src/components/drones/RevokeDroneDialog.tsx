import { count, type Drone, type DroneUse } from "@gadget/api";
import { useRequest } from "../../lib/use-request.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { useDroneLabel } from "./use-drone-label.ts";

interface Props {
  drone: Drone;
  onConfirm: () => void;
  onClose: () => void;
}

/** Says what needs the drone before it is revoked. */
export function RevokeDroneDialog({ drone, onConfirm, onClose }: Props) {
  const droneLabel = useDroneLabel();
  const { data } = useRequest("getDroneUse", { params: { id: drone.id } });
  return (
    <ConfirmDialog
      title={`Revoke ${droneLabel(drone)}?`}
      verb="Revoke"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      Its connection closes at once and its credential is void. Files on it stay.{" "}
      {data && usedBy(data.use)}
    </ConfirmDialog>
  );
}

function usedBy({ projects, othersProjects, sessions, turns }: DroneUse): string {
  const named = projects.slice(0, 5).join(", ");
  const more = Math.max(0, projects.length - 5) + othersProjects;
  const own = [named, more > 0 ? count(more, "more project") : ""].filter(Boolean).join(" and ");
  if (own === "") {
    return "No project uses it.";
  }
  const ends = turns === 0 ? "" : ` Running turns end as interrupted: ${turns} run or wait there.`;
  return `It is the drone of ${own}, with ${count(sessions, "session")}: they need another one.${ends}`;
}
