import { SessionId } from "@gadget/api";
import { useMemo } from "react";
import { Link, useParams } from "react-router";
import { AbortKeys } from "../components/AbortKeys.tsx";
import { Composer } from "../components/Composer.tsx";
import { Docks } from "../components/Docks.tsx";
import { SessionHeader } from "../components/SessionHeader.tsx";
import { Timeline } from "../components/Timeline.tsx";
import { SessionContext, useOpenSession, useSession } from "../session/session-context.ts";
import { NotFoundPage } from "./NotFoundPage.tsx";

function parseId(text: string | undefined): SessionId | undefined {
  try {
    return SessionId.parse(text);
  } catch {
    return undefined;
  }
}

export function ChatSessionView() {
  const { id } = useParams();
  const sessionId = useMemo(() => parseId(id), [id]);
  if (sessionId === undefined) return <NotFoundPage />;
  return <OpenedSession key={sessionId} sessionId={sessionId} />;
}

function OpenedSession({ sessionId }: { sessionId: SessionId }) {
  const open = useOpenSession(sessionId);
  return (
    <SessionContext value={open}>
      <SessionLayout sessionId={sessionId} />
    </SessionContext>
  );
}

function SessionLayout({ sessionId }: { sessionId: SessionId }) {
  const problem = useSession((state) => (state.phase === "failed" ? state.problem : undefined));
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
    <main className="flex h-full min-h-0 min-w-0 flex-1 flex-col">
      <AbortKeys />
      <SessionHeader />
      <Timeline />
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-4 pt-1 pb-3">
        <Docks />
        <Composer sessionId={sessionId} />
      </div>
    </main>
  );
}
