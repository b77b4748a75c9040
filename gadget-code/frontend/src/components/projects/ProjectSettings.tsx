import type { Project } from "@gadget/api";
import { useServices } from "../../lib/services.ts";
import { useInvalidate } from "../../lib/use-request.ts";
import { SettingsForm } from "../ui/SettingsForm.tsx";

export function ProjectSettings({ project }: { project: Project }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  return (
    <SettingsForm
      name={project.name}
      words={{
        label: "Pass these variables to commands",
        value: project.environment,
        placeholder: "DATABASE_URL NODE_ENV",
        hint: "Names only; the values are the ones that the drone was started with. PATH, HOME and the like are always passed.",
      }}
      save={async (name, environment) => {
        const body = { name, environment };
        await request("updateProject", { params: { id: project.id }, body });
        invalidate("getProject", "listProjects");
      }}
    />
  );
}
