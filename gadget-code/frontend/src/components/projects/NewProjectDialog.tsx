import type { BodyOf, DroneId } from "@gadget/api";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { useServices } from "../../lib/services.ts";
import { textOf } from "../../lib/text-of.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { useDroneWord } from "../drones/DroneDot.tsx";
import { NoDrone } from "../drones/NoDrone.tsx";
import { useDroneLabel } from "../drones/use-drone-label.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";
import { FormFooter } from "../ui/FormFooter.tsx";
import { Segments } from "../ui/Segments.tsx";
import { SelectField } from "../ui/SelectField.tsx";
import { FolderPicker } from "./FolderPicker.tsx";

type Source = "directory" | "git" | "empty";

const sources: { value: Source; label: string }[] = [
  { value: "directory", label: "Existing folder" },
  { value: "git", label: "Git repository" },
  { value: "empty", label: "Empty folder" },
];

export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const droneWord = useDroneWord();
  const droneLabel = useDroneLabel();
  const drones = useRequest("listDrones", {});
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const [source, setSource] = useState<Source>("directory");
  const [chosenDrone, setDrone] = useState<DroneId>();
  const [directory, setDirectory] = useState("");
  const droneId = chosenDrone ?? drones.data?.items[0]?.id;

  const create = (form: FormData): void => {
    const gitUrl = textOf(form, "gitUrl");
    const path = textOf(form, "directory") || directory;
    const from: Partial<BodyOf<"createProject">> =
      source === "git" ? { gitUrl } : source === "directory" ? { directory: path } : {};
    const name = textOf(form, "name") || nameFrom(source === "git" ? gitUrl : path);
    void attempt(async () => {
      const { project } = await request("createProject", {
        body: { name, ...(droneId && { droneId }), ...from },
      });
      invalidate("listProjects");
      onClose();
      await navigate(`/projects/${project.id}`);
    });
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    create(new FormData(event.currentTarget));
  };

  if (drones.data?.items.length === 0) {
    return (
      <Dialog title="New project" onClose={onClose}>
        <NoDrone />
      </Dialog>
    );
  }
  return (
    <Dialog title="New project" onClose={onClose}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <SelectField
          label="Drone"
          value={droneId ?? ""}
          onChange={(value) => setDrone(drones.data?.items.find(({ id }) => id === value)?.id)}
          options={(drones.data?.items ?? []).map((drone) => ({
            value: drone.id,
            label: `${droneLabel(drone)} · ${droneWord(drone)}`,
          }))}
          hint="Where the folder is and commands run."
        />
        <Segments label="Source" value={source} options={sources} onChange={setSource} />
        {source === "directory" && droneId && (
          <FolderPicker key={droneId} droneId={droneId} value={directory} onChange={setDirectory} />
        )}
        {source === "git" && (
          <Field
            label="Git address"
            name="gitUrl"
            required
            placeholder="https://example.org/team/app.git"
          />
        )}
        <Field
          label="Name"
          name="name"
          required={source === "empty"}
          maxLength={100}
          placeholder={source === "empty" ? "" : "Same as the folder"}
        />
        <FormFooter problem={problem} place="end">
          <Button onClick={onClose}>Close</Button>
          <Button
            type="submit"
            tone="primary"
            disabled={isBusy || (source === "directory" && directory === "")}
          >
            {isBusy ? "Creating…" : "Create project"}
          </Button>
        </FormFooter>
      </form>
    </Dialog>
  );
}

/** `…/team/app.git` and `/home/ada/app` are both called app. */
function nameFrom(path: string): string {
  return (
    path
      .replace(/\.git$/, "")
      .split(/[/\\]/)
      .findLast((piece) => piece !== "") ?? ""
  );
}
