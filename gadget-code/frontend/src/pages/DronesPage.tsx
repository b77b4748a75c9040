import type { Drone } from "@gadget/api";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { AddDroneDialog } from "../components/AddDroneDialog.tsx";
import { Button } from "../components/Button.tsx";
import { DroneDot, droneWord } from "../components/DroneDot.tsx";
import { Loading } from "../components/Loading.tsx";
import { PageFrame } from "../components/PageFrame.tsx";
import { compareVersions } from "../lib/compare-versions.ts";
import { useRequest } from "../lib/use-request.ts";

export function DronesPage() {
  const drones = useRequest("listDrones", {}, { everyMs: 10_000 });
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
            <p className="text-muted">
              There is no drone yet. A drone is a worker on a machine of yours: it holds the
              folders, calls the model and runs the commands.
            </p>
          ) : (
            <ul className="card divide-y divide-line overflow-hidden">
              {items.map((drone) => (
                <DroneRow key={drone.id} drone={drone} newest={newestOf(items)} />
              ))}
            </ul>
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

function DroneRow({ drone, newest }: { drone: Drone; newest: string }) {
  return (
    <li>
      <Link
        to={`/drones/${drone.id}`}
        className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 px-3.5 py-2.5 hover:bg-hover sm:grid-cols-[auto_1fr_8rem_9rem_6rem]"
      >
        <DroneDot drone={drone} />
        <span className="min-w-0">
          <span className="block truncate font-medium">{drone.name}</span>
          <span className="block truncate text-xs text-faint">{drone.host}</span>
        </span>
        <span className="text-[13px] text-muted">{droneWord(drone)}</span>
        <span className="hidden text-xs text-faint sm:block">
          {drone.version}
          {compareVersions(drone.version, newest) < 0 && (
            <span className="text-orange"> (older)</span>
          )}
        </span>
        <span className="hidden text-right text-xs text-faint tabular-nums sm:block">
          {drone.rttMs === undefined ? "" : `${Math.round(drone.rttMs)} ms`}
        </span>
      </Link>
    </li>
  );
}
