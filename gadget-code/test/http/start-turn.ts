import type { ChatSession, ChatTurn, Project } from "@gadget/api";
import type { Person } from "../person.ts";
import type { ScriptedDrone } from "../scripted-drone.ts";

interface Started {
  project: Project;
  session: ChatSession;
  turn: ChatTurn;
}

/** A turn in a project of its own, which the drone holds. */
export async function startTurn(
  person: Person,
  drone: ScriptedDrone,
  prompt = "hello",
): Promise<Started> {
  const { project } = await person.ask("createProject", {
    body: { name: "Plain", droneId: drone.id },
  });
  const { session } = await person.ask("createSession", { params: { id: project.id } });
  const { turn } = await person.ask("submitTurn", {
    params: { id: session.id },
    body: { prompt },
  });
  await drone.order(turn.id);
  return { project, session, turn };
}
