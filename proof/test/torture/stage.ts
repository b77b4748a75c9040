import { join } from "node:path";
import type { Project, SessionId, TurnId } from "@gadget/api";
import { writeDescendants } from "../../../gadget-drone/test/process/descendants.ts";
import type { GitSite } from "../support/git-site.ts";
import type { Stack } from "../support/stack.ts";
import type { Scene } from "./scenes.ts";

/** Where one case of a scene is played. */
export interface Stage {
  project: Project;
  /** The workspace: nothing of the turn may run in it afterwards. */
  folder: string;
  sessionId: SessionId;
  submit: () => Promise<TurnId>;
  /** Takes away what kept the turn waiting. */
  clear: () => Promise<unknown>;
}

const longText = "All that was said before, at length. ".repeat(1_500);

export async function setStage(
  stack: Stack,
  site: GitSite,
  scene: Scene,
  prompt: string,
): Promise<Stage> {
  const drone = stack.droneAt();
  const project = scene.isCloned
    ? await stack.newClone(drone, site.url)
    : await stack.newProject(drone);
  const folder = project.directory ?? join(drone.folder, "data/workspaces", project.id);
  if (!scene.isCloned) {
    await writeDescendants(folder);
  }
  const sessionId = await stack.newSession(project, scene.approval, scene.model);
  if (scene.isLong) {
    const { id } = await stack.submit(sessionId, `${prompt} Go on. ${longText}`);
    await stack.settled(id);
  }
  const rival = scene.isQueued ? await busy(stack, project) : undefined;
  return {
    project,
    folder,
    sessionId,
    submit: async () => {
      const runAnyway = rival === undefined;
      return (await stack.submit(sessionId, prompt, { runAnyway })).id;
    },
    clear: async () => {
      if (rival === undefined) {
        return;
      }
      await stack.cancel(rival);
      await stack.settled(rival);
    },
  };
}

/** Another turn that holds the workspace. */
async function busy(stack: Stack, project: Project): Promise<TurnId> {
  const { id } = await stack.submit(await stack.newSession(project), "Hold on.");
  const watch = stack.watch(id);
  await new Promise<void>((resolve) => {
    watch.onEvent(({ type }) => type === "tool:start" && resolve());
  });
  watch.close();
  return id;
}
