import type { BodyOf, Drone } from "@gadget/api";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useUser } from "../../lib/auth.ts";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { SettingsForm } from "../ui/SettingsForm.tsx";
import { RevokeDroneDialog } from "./RevokeDroneDialog.tsx";

const sharedWords =
  "Members' commands run as this drone's user. They can read every folder that it can, and what passes through it: the prompts and provider keys of everybody who works on it, yours too. Share it only with people who may read those.";

export function DroneActions({ drone }: { drone: Drone }) {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
  const user = useUser();
  const [isSharing, setSharing] = useState(false);
  const [isRevoking, setRevoking] = useState(false);
  const isDraining = drone.status === "draining";
  const params = { id: drone.id };

  const update = async (body: BodyOf<"updateDrone">): Promise<void> => {
    await request("updateDrone", { params, body });
    invalidate("getDrone", "listDrones");
  };
  const change = (body: BodyOf<"updateDrone">): void => void attempt(() => update(body));

  const revoke = () =>
    attempt(async () => {
      await request("deleteDrone", { params });
      invalidate("listDrones");
      await navigate("/drones");
    });

  return (
    <section className="flex flex-col gap-4">
      <SettingsForm
        name={drone.name}
        words={{ label: "Labels", value: drone.labels, placeholder: "gpu office" }}
        save={(name, labels) => update({ name, labels })}
      />
      <div className="flex flex-wrap gap-2">
        <Button disabled={isBusy} onClick={() => change({ draining: !isDraining })}>
          {isDraining ? "Take new turns again" : "Drain"}
        </Button>
        {user.role === "owner" && drone.local !== true && (
          <Button disabled={isBusy} onClick={() => setSharing(true)}>
            {drone.shared ? "Stop sharing" : "Share with members"}
          </Button>
        )}
        <Button onClick={() => setRevoking(true)}>Revoke</Button>
      </div>
      {drone.shared && <p className="text-[13px] text-orange">{sharedWords}</p>}
      {drone.local && user.role === "owner" && (
        <p className="text-[13px] text-muted">
          This drone runs as the server's own user, so it can't be shared. To share one, add a drone
          that runs as another user or on another machine.
        </p>
      )}
      {isSharing && (
        <ConfirmDialog
          title={drone.shared ? `Stop sharing ${drone.name}?` : `Share ${drone.name}?`}
          verb={drone.shared ? "Stop sharing" : "Share"}
          onConfirm={() => change({ shared: !drone.shared })}
          onClose={() => setSharing(false)}
        >
          {drone.shared
            ? "What members run there is stopped, and their projects need another drone."
            : sharedWords}
        </ConfirmDialog>
      )}
      {isRevoking && (
        <RevokeDroneDialog
          drone={drone}
          onConfirm={() => void revoke()}
          onClose={() => setRevoking(false)}
        />
      )}
    </section>
  );
}
