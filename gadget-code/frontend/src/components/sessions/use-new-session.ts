import type { BodyOf, ChatSession, ProjectId } from "@gadget/api";
import { useCallback } from "react";
import { useNavigate } from "react-router";
import type { Request } from "../../lib/api.ts";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate } from "../../lib/use-request.ts";
import { readDraft } from "../../session/draft.ts";

/** Starts a session in a project and goes there. */
export function useNewSession(): (projectId: ProjectId) => void {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const { attempt } = useAttempt();
  return useCallback(
    (projectId) => {
      void attempt(async () => {
        const params = { id: projectId };
        const latest = await request("listProjectSessions", { params, query: { limit: 20 } });
        const untouched = latest.items.find(isUntouched);
        if (untouched !== undefined) {
          await navigate(`/sessions/${untouched.id}`);
          document.getElementById("message")?.focus();
          return;
        }
        const body = await startOf(request, projectId, latest.items);
        const { session } = await request("createSession", { params, body });
        invalidate("listSessions", "listProjectSessions");
        await navigate(`/sessions/${session.id}`);
      });
    },
    [request, navigate, invalidate, attempt],
  );
}

/** Nothing was said in it, written for it or changed of it. */
function isUntouched({ id, lastTurn, title, createdAt, updatedAt }: ChatSession): boolean {
  const isNew = lastTurn === undefined && title === "New session" && createdAt === updatedAt;
  return isNew && readDraft(id) === "";
}

/**
 * What asks before it runs is as it was the last time in this project. The very first session of
 * the sample is for trying out the demo's commands, which only print: there nothing asks, so that
 * the first Esc Esc is not two clicks away. The page says so.
 */
async function startOf(
  request: Request,
  id: ProjectId,
  [latest]: readonly ChatSession[],
): Promise<BodyOf<"createSession">> {
  if (latest !== undefined) {
    return { approval: latest.approval };
  }
  const { project } = await request("getProject", { params: { id } });
  if (project.source.kind !== "sample") {
    return {};
  }
  const { items: providers } = await request("listProviders");
  const demo = providers.find(({ kind }) => kind === "demo");
  return demo === undefined ? {} : { providerId: demo.id, approval: "auto" };
}
