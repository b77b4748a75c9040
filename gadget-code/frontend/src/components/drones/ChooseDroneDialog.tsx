import type { DroneId, ProjectId } from "@gadget/api";
import { useState } from "react";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { FormFooter } from "../ui/FormFooter.tsx";
import { SelectField } from "../ui/SelectField.tsx";
import { useDroneWord } from "./DroneDot.tsx";
import { NoDrone } from "./NoDrone.tsx";
import { useDroneLabel } from "./use-drone-label.ts";

interface Props {
  projectId: ProjectId;
  /** The one that it has now. */
  droneId: DroneId | null;
  onClose: () => void;
}

/** Gives a project another drone; its sessions and what waits in them go along. */
export function ChooseDroneDialog({ projectId, droneId, onClose }: Props) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const drones = useRequest("listDrones", {});
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const [chosen, setChosen] = useState<DroneId>();
  const others = (drones.data?.items ?? []).filter(({ id }) => id !== droneId);
  const droneWord = useDroneWord();
  const droneLabel = useDroneLabel();
  const next = chosen ?? others[0]?.id;

  const choose = (to: DroneId): void => {
    void attempt(async () => {
      await request("updateProject", { params: { id: projectId }, body: { droneId: to } });
      invalidate("getProject", "listProjects", "getWorkspace");
      onClose();
    });
  };

  return (
    <Dialog title="Choose another drone" onClose={onClose}>
      {drones.data !== undefined && next === undefined && <NoDrone hasOne={droneId !== null} />}
      {next !== undefined && (
        <div className="flex flex-col gap-4">
          <SelectField
            label="Drone"
            value={next}
            onChange={(value) => setChosen(others.find(({ id }) => id === value)?.id)}
            options={others.map((drone) => ({
              value: drone.id,
              label: `${droneLabel(drone)} · ${droneWord(drone)}`,
            }))}
            hint="Sessions and waiting messages go along. Files do not: a git project is cloned there again."
          />
          <FormFooter problem={problem} place="end">
            <Button onClick={onClose}>Cancel</Button>
            <Button tone="primary" disabled={isBusy} onClick={() => choose(next)}>
              Use this drone
            </Button>
          </FormFooter>
        </div>
      )}
    </Dialog>
  );
}
