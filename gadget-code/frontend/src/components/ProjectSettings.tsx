import type { Project } from "@gadget/api";
import type { FormEvent } from "react";
import { textOf } from "../lib/form-text.ts";
import { useServices } from "../lib/services.ts";
import { showToast } from "../lib/toast.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate } from "../lib/use-request.ts";
import { Button } from "./Button.tsx";
import { Field } from "./Field.tsx";

export function ProjectSettings({ project }: { project: Project }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const environment = textOf(form, "environment")
      .split(/[\s,]+/)
      .filter(Boolean);
    void attempt(async () => {
      const body = { name: textOf(form, "name"), environment };
      await request("updateProject", { params: { id: project.id }, body });
      invalidate("getProject", "listProjects");
      showToast("Saved.", { tone: "success" });
    });
  };

  return (
    <form onSubmit={onSubmit} className="card flex flex-col gap-4 p-4">
      <h2 className="font-semibold">Settings</h2>
      <Field label="Name" name="name" defaultValue={project.name} required maxLength={100} />
      <Field
        label="Environment variables that commands may see"
        name="environment"
        defaultValue={project.environment.join(" ")}
        placeholder="DATABASE_URL NODE_ENV"
        hint="Names only, of variables that the drone was started with. The usual ones are always there."
      />
      {problem && (
        <p role="alert" className="text-[13px] text-danger">
          {problem}
        </p>
      )}
      <div>
        <Button type="submit" tone="primary" disabled={isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}
