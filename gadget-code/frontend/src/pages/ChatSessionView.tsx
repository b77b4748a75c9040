import { SessionId } from "@gadget/api";
import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import { AbortKeys } from "../components/composer/AbortKeys.tsx";
import { Composer } from "../components/composer/Composer.tsx";
import { SessionChoices } from "../components/composer/SessionChoices.tsx";
import { Docks } from "../components/docks/Docks.tsx";
import { NotificationOffer } from "../components/docks/NotificationOffer.tsx";
import { SessionHeader } from "../components/header/SessionHeader.tsx";
import { SessionWatch } from "../components/timeline/SessionWatch.tsx";
import { SuggestionRow } from "../components/timeline/SuggestionRow.tsx";
import { Timeline } from "../components/timeline/Timeline.tsx";
import { TurnAnnouncer } from "../components/timeline/TurnAnnouncer.tsx";
import { useFinding } from "../lib/use-finding.ts";
import { useHotkeys } from "../lib/use-hotkeys.ts";
import { useParamId } from "../lib/use-param-id.ts";
import { SessionContext, useOpenSession, useSession } from "../session/session-context.ts";
import { useLiveWorkspace } from "../session/use-live-workspace.ts";
import { NotFoundPage } from "./NotFoundPage.tsx";

const Inspector = lazy(async () => ({
  default: (await import("../components/work-area/Inspector.tsx")).Inspector,
}));

export function ChatSessionView() {
  const sessionId = useParamId(SessionId);
  if (sessionId === undefined) {
    return <NotFoundPage />;
  }
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
  const finding = useFinding();
  useLiveWorkspace();
  useHotkeys({ "mod+j": toggle, "mod+shift+f": finding.open });
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
    // The inspector stands beside the chat, or over the timeline alone: Cancel is never covered.
    <div className="@container grid h-full min-h-0 grid-cols-[minmax(0,1fr)_auto] grid-rows-[auto_minmax(0,1fr)_minmax(0,auto)]">
      <main className="contents">
        <AbortKeys />
        <TurnAnnouncer />
        <SessionWatch />
        <div className="col-start-1 row-start-1 min-w-0">
          <SessionHeader
            isInspectorOpen={isInspectorOpen}
            onInspector={toggle}
            onFind={finding.open}
          />
        </div>
        <div className="col-start-1 row-start-2 flex min-h-0 min-w-0 flex-col">
          <Timeline isFinding={finding.isOpen} words={finding.words} onCloseFind={finding.close} />
        </div>
        <div className="col-start-1 row-start-3 mx-auto flex min-h-0 w-full max-w-3xl flex-col gap-2 px-4 pt-1 pb-3 low:px-2 low:pb-1.5">
          <Docks />
          <NotificationOffer />
          <SuggestionRow />
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
