import { type Drone, DroneId } from "@gadget/api";
import { DroneActions } from "../components/drones/DroneActions.tsx";
import { DroneDot, useDroneWord } from "../components/drones/DroneDot.tsx";
import { DroneNotices } from "../components/drones/DroneNotices.tsx";
import { RunningCommands } from "../components/drones/RunningCommands.tsx";
import { RunningTurns } from "../components/drones/RunningTurns.tsx";
import { useDroneLabel } from "../components/drones/use-drone-label.ts";
import { PageFrame } from "../components/shell/PageFrame.tsx";
import { Facts } from "../components/ui/Facts.tsx";
import { Loading } from "../components/ui/Loading.tsx";
import { useParamId } from "../lib/use-param-id.ts";
import { useRequest } from "../lib/use-request.ts";
import { NotFoundPage } from "./NotFoundPage.tsx";

export function DronePage() {
  const id = useParamId(DroneId);
  return id === undefined ? <NotFoundPage /> : <DroneOf key={id} id={id} />;
}

function DroneOf({ id }: { id: DroneId }) {
  const droneWord = useDroneWord();
  const droneLabel = useDroneLabel();
  const drone = useRequest("getDrone", { params: { id } });
  return (
    <PageFrame title={drone.data ? droneLabel(drone.data.drone) : "Drone"}>
      <Loading of={drone}>
        {({ drone: shown }) => (
          <>
            <p className="flex items-center gap-2 font-medium">
              <DroneDot drone={shown} />
              {droneWord(shown)}
            </p>
            <Facts facts={factsOf(shown)} />
            <DroneNotices drone={shown} />
            <RunningTurns droneId={id} />
            <RunningCommands droneId={id} />
            {shown.mine && <DroneActions drone={shown} />}
          </>
        )}
      </Loading>
    </PageFrame>
  );
}

function factsOf(drone: Drone): [string, string][] {
  const { abilities } = drone;
  const facts: [string, string][] = [
    ["Host", drone.host],
    ["Version", drone.version],
    ["Runs", `${drone.running} of ${drone.capacity}`],
  ];
  if (drone.rttMs !== undefined && drone.status !== "offline") {
    facts.push(["Round trip", `${Math.round(drone.rttMs)} ms`]);
  }
  if (drone.labels.length > 0) {
    facts.push(["Labels", drone.labels.join(", ")]);
  }
  if (drone.roots && drone.roots.length > 0) {
    facts.push(["Folders", drone.roots.join("\n")]);
  }
  if (abilities) {
    facts.push(["Platform", abilities.platform]);
    facts.push([
      "Stopping commands",
      abilities.supervisor === "subreaper"
        ? "proven: nothing survives an abort"
        : "best effort: a command that hides from its group may survive",
    ]);
    if (!abilities.git) {
      facts.push(["Git", "not there: cloning and whole-workspace undo are off"]);
    }
  }
  return facts;
}
