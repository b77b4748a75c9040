import type { Drone } from "@gadget/api";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { AddDroneDialog } from "../components/drones/AddDroneDialog.tsx";
import { compareVersions } from "../components/drones/compare-versions.ts";
import { DroneDot, useDroneWord } from "../components/drones/DroneDot.tsx";
import { NoDrone } from "../components/drones/NoDrone.tsx";
import { useDroneLabel } from "../components/drones/use-drone-label.ts";
import { PageFrame } from "../components/shell/PageFrame.tsx";
import { Button } from "../components/ui/Button.tsx";
import { Loading } from "../components/ui/Loading.tsx";
import { useRequest } from "../lib/use-request.ts";

export function DronesPage() {
  const drones = useRequest("listDrones", {});
  const [isAdding, setAdding] = useState(false);
  return (
    <PageFrame
      title="Drones"
      actions={
        <Button onClick={() => setAdding(true)}>
          <Plus aria-hidden="true" className="size-4" />
          Add drone
        </Button>
      }
    >
      <Loading of={drones}>
        {({ items }) =>
          items.length === 0 ? (
            <NoDrone />
          ) : (
            <div className="card overflow-hidden">
              <p
                aria-hidden="true"
                className={`${columns} border-b border-line py-1.5 text-xs font-medium text-faint`}
              >
                <span className="size-2" />
                <span>Drone and host</span>
                <span>State</span>
                <span className="hidden sm:block">Version</span>
                <span className="hidden text-right sm:block">Round trip</span>
              </p>
              <ul className="divide-y divide-line">
                {items.map((drone) => (
                  <DroneRow key={drone.id} drone={drone} newest={newestOf(items)} />
                ))}
              </ul>
            </div>
          )
        }
      </Loading>
      {isAdding && <AddDroneDialog onClose={() => setAdding(false)} />}
    </PageFrame>
  );
}

function newestOf(drones: readonly Drone[]): string {
  return (
    drones
      .map(({ version }) => version)
      .sort(compareVersions)
      .at(-1) ?? ""
  );
}

const columns =
  "grid grid-cols-[auto_1fr_auto] items-center gap-x-3 px-3.5 sm:grid-cols-[auto_1fr_9rem_7rem_6rem]";

interface RowProps {
  drone: Drone;
  newest: string;
}

function DroneRow({ drone, newest }: RowProps) {
  const droneWord = useDroneWord();
  const droneLabel = useDroneLabel();
  return (
    <li>
      <Link to={`/drones/${drone.id}`} className={`${columns} py-2.5 hover:bg-hover`}>
        <DroneDot drone={drone} />
        <span className="min-w-0">
          <span title={droneLabel(drone)} className="block truncate font-medium">
            {droneLabel(drone)}
          </span>
          <span title={drone.host} className="block truncate text-xs text-faint">
            {drone.host}
          </span>
        </span>
        <span className="text-[13px] text-muted">{droneWord(drone)}</span>
        <span className="hidden text-xs text-faint sm:block">
          {drone.version}
          {compareVersions(drone.version, newest) < 0 && (
            <span className="text-orange"> (older)</span>
          )}
        </span>
        <span className="hidden text-right text-xs text-faint tabular-nums sm:block">
          {drone.rttMs === undefined || drone.status === "offline"
            ? ""
            : `${Math.round(drone.rttMs)} ms`}
        </span>
      </Link>
    </li>
  );
}
