import { SessionId } from "@gadget/api";
import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import { AbortKeys } from "../components/AbortKeys.tsx";
import { Composer } from "../components/Composer.tsx";
import { Docks } from "../components/Docks.tsx";
import { Milestones } from "../components/Milestones.tsx";
import { SessionChoices } from "../components/SessionChoices.tsx";
import { SessionHeader } from "../components/SessionHeader.tsx";
import { SessionWatch } from "../components/SessionWatch.tsx";
import { Timeline } from "../components/Timeline.tsx";
import { useHotkeys } from "../lib/use-hotkeys.ts";
import { useParamId } from "../lib/use-param-id.ts";
import { SessionContext, useOpenSession, useSession } from "../session/session-context.ts";
import { useLiveWorkspace } from "../session/use-live-workspace.ts";
import { NotFoundPage } from "./NotFoundPage.tsx";

const Inspector = lazy(async () => ({
  default: (await import("../components/Inspector.tsx")).Inspector,
}));

export function ChatSessionView() {
  const sessionId = useParamId(SessionId);
  if (sessionId === undefined) return <NotFoundPage />;
  return <OpenedSession key={sessionId} sessionId={sessionId} />;
}

function OpenedSession({ sessionId }: { sessionId: SessionId }) {
  const open = useOpenSession(sessionId);
  return (
    <SessionContext value={open}>
      <SessionLayout />
    </SessionContext>
  );
}

function SessionLayout() {
  const problem = useSession((state) => (state.phase === "failed" ? state.problem : undefined));
  const [isInspectorOpen, setInspectorOpen] = useState(false);
  const toggle = () => setInspectorOpen((isOpen) => !isOpen);
  const [isFinding, setFinding] = useState(false);
  const find = () => setFinding(true);
  useLiveWorkspace();
  useHotkeys({ "mod+j": toggle, "mod+shift+f": find });
  if (problem !== undefined) {
    return (
      <main className="m-auto flex max-w-md flex-col gap-3 p-6 text-center">
        <h1 className="text-lg font-semibold">This session can't be opened</h1>
        <p className="text-muted">{problem}</p>
        <Link to="/" className="text-accent underline">
          Back to all sessions
        </Link>
      </main>
    );
  }
  return (
    <div className="relative flex h-full min-h-0">
      <main className="flex min-h-0 min-w-0 flex-1 flex-col">
        <AbortKeys />
        <Milestones />
        <SessionWatch />
        <SessionHeader isInspectorOpen={isInspectorOpen} onInspector={toggle} onFind={find} />
        <Timeline isFinding={isFinding} onCloseFind={() => setFinding(false)} />
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-4 pt-1 pb-3">
          <Docks />
          <Composer>
            <SessionChoices />
          </Composer>
        </div>
      </main>
      {isInspectorOpen && (
        <Suspense fallback={null}>
          <Inspector onClose={toggle} />
        </Suspense>
      )}
    </div>
  );
}
