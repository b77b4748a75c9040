import type { TurnEventBody, WorkOrder } from "@gadget/api";
import type { Clock } from "../clock.ts";
import { CloneProgress } from "../workspace/open/clone-progress.ts";
import { openWorkspace } from "../workspace/open/open-workspace.ts";
import type { Roots } from "../workspace/roots.ts";

export interface PrepareWorkspaceOptions {
  order: WorkOrder;
  roots: Roots;
  clock: Clock;
  signal: AbortSignal;
  emit: (event: TurnEventBody) => void;
}

/** The real path of the order's workspace; a clone that takes its time says how far it is. */
export async function prepareWorkspace(options: PrepareWorkspaceOptions): Promise<string> {
  const { order, roots, clock, signal, emit } = options;
  const { source, directory = order.projectId } = order.workspace;
  const progress =
    source.kind === "git"
      ? new CloneProgress(source.gitUrl, clock, (phase, text) => {
          emit({ type: "notice", partId: "clone", phase, level: "info", code: "clone", text });
        })
      : undefined;
  const onProgress = (text: string) => progress?.add(text);
  try {
    const request = { source, directory };
    const workspace = await openWorkspace(request, { roots, signal, make: true, onProgress });
    signal.throwIfAborted();
    progress?.end("cloned");
    return workspace;
  } catch (error) {
    progress?.end(signal.aborted ? "stopped" : "failed");
    throw error;
  }
}
