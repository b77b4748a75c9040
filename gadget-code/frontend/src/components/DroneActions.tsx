import type { BodyOf, Drone } from "@gadget/api";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate } from "../lib/use-request.ts";
import { Button } from "./Button.tsx";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { NameAndWordsForm } from "./NameAndWordsForm.tsx";

export function DroneActions({ drone }: { drone: Drone }) {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
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
      <NameAndWordsForm
        name={drone.name}
        words={{ label: "Labels", value: drone.labels, placeholder: "gpu office" }}
        save={(name, labels) => update({ name, labels })}
      />
      <div className="flex flex-wrap gap-2">
        <Button disabled={isBusy} onClick={() => change({ draining: !isDraining })}>
          {isDraining ? "Take new turns again" : "Drain"}
        </Button>
        <Button disabled={isBusy} onClick={() => change({ shared: !drone.shared })}>
          {drone.shared ? "Stop sharing" : "Share with members"}
        </Button>
        <Button onClick={() => setRevoking(true)}>Revoke</Button>
      </div>
      {drone.shared && (
        <p className="text-[13px] text-orange">
          Members on a shared drone are not isolated from each other: a command can read every
          folder that the drone can.
        </p>
      )}
      {isRevoking && (
        <ConfirmDialog
          title={`Revoke ${drone.name}?`}
          verb="Revoke"
          onConfirm={() => void revoke()}
          onClose={() => setRevoking(false)}
        >
          Its connection closes at once and its credential is void. Files on it stay.
        </ConfirmDialog>
      )}
    </section>
  );
}
