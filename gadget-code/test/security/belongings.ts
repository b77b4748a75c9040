import { CommandId, newId, QuestionId } from "@gadget/api";
import { startTurn } from "../http/start-turn.ts";
import type { Person } from "../person.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import type { TestServer } from "../server.ts";
import type { Values } from "./samples.ts";

export interface Belongings {
  drone: ScriptedDrone;
  /** An id of each kind, by the noun of its routes and by the key that it has in messages. */
  ids: Values;
}

/** One of everything that a person can have, with a turn that runs. */
export async function giveBelongings(server: TestServer, person: Person): Promise<Belongings> {
  const drone = await connectDrone(server, person, { capacity: 10 });
  const { project, session, turn } = await startTurn(
    person,
    drone,
    `the plan of ${person.user.name}`,
  );
  await drone.send(turn.id, { type: "text:start", partId: "p" });
  const { message } = await person.ask("sendMessage", {
    params: { id: turn.id },
    body: { text: "and then this", mode: "queue" },
  });
  const { provider } = await person.ask("createProvider", {
    body: { name: "Own", kind: "ollama", baseUrl: "http://127.0.0.1:9", apiKey: "a-key-of-mine" },
  });
  const { id: token } = await person.ask("createToken", { body: { name: "own" } });
  return {
    drone,
    ids: {
      projects: project.id,
      projectId: project.id,
      sessions: session.id,
      sessionId: session.id,
      turns: turn.id,
      turnId: turn.id,
      continues: turn.id,
      messageId: message.id,
      providers: provider.id,
      providerId: provider.id,
      drones: drone.id,
      droneId: drone.id,
      tokens: token,
      members: person.user.id,
      questionId: newId(QuestionId),
      approvalId: newId(QuestionId),
      callId: "call-1",
      commandId: newId(CommandId),
    },
  };
}
