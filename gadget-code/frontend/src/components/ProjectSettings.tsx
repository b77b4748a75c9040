import type { Project } from "@gadget/api";
import { useServices } from "../lib/services.ts";
import { useInvalidate } from "../lib/use-request.ts";
import { NameAndWordsForm } from "./NameAndWordsForm.tsx";

export function ProjectSettings({ project }: { project: Project }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  return (
    <NameAndWordsForm
      name={project.name}
      words={{
        label: "Environment variables that commands may see",
        value: project.environment,
        placeholder: "DATABASE_URL NODE_ENV",
        hint: "Names only, of variables that the drone was started with. The usual ones are always there.",
      }}
      save={async (name, environment) => {
        const body = { name, environment };
        await request("updateProject", { params: { id: project.id }, body });
        invalidate("getProject", "listProjects");
      }}
    />
  );
}
