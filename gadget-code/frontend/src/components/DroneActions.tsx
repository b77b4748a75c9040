import type { BodyOf, Drone } from "@gadget/api";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { textOf } from "../lib/form-text.ts";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate } from "../lib/use-request.ts";
import { Button } from "./Button.tsx";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { Field } from "./Field.tsx";

export function DroneActions({ drone }: { drone: Drone }) {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
  const [isRevoking, setRevoking] = useState(false);
  const isDraining = drone.status === "draining";
  const params = { id: drone.id };

  const change = (body: BodyOf<"updateDrone">): void => {
    void attempt(async () => {
      await request("updateDrone", { params, body });
      invalidate("getDrone", "listDrones");
    });
  };

  const revoke = () =>
    attempt(async () => {
      await request("deleteDrone", { params });
      invalidate("listDrones");
      await navigate("/drones");
    });

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const labels = textOf(form, "labels")
      .split(/[\s,]+/)
      .filter(Boolean);
    change({ name: textOf(form, "name"), labels });
  };

  return (
    <section className="flex flex-col gap-4">
      <form onSubmit={onSubmit} className="card flex flex-col gap-4 p-4">
        <h2 className="font-semibold">Settings</h2>
        <Field label="Name" name="name" defaultValue={drone.name} required maxLength={100} />
        <Field
          label="Labels"
          name="labels"
          defaultValue={drone.labels.join(" ")}
          placeholder="gpu office"
        />
        <div>
          <Button type="submit" tone="primary" disabled={isBusy}>
            Save
          </Button>
        </div>
      </form>
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
