import type { ProjectId } from "@gadget/api";
import { useCallback } from "react";
import { useNavigate } from "react-router";
import { useServices } from "./services.ts";
import { useAttempt } from "./use-attempt.ts";
import { useInvalidate } from "./use-request.ts";

/** Starts a session in a project and goes there. */
export function useNewSession(): (projectId: ProjectId) => void {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const { attempt } = useAttempt();
  return useCallback(
    (projectId) => {
      void attempt(async () => {
        const { session } = await request("createSession", { params: { id: projectId }, body: {} });
        invalidate("listSessions", "listProjectSessions");
        await navigate(`/sessions/${session.id}`);
      });
    },
    [request, navigate, invalidate, attempt],
  );
}
