import { PanelRight } from "lucide-react";
import { modKey } from "../../lib/mod-key.ts";
import { useSession } from "../../session/session-context.ts";
import { ContextRing } from "./ContextRing.tsx";
import { HeaderMenu } from "./HeaderMenu.tsx";
import { SessionCost } from "./SessionCost.tsx";
import { SessionPlace } from "./SessionPlace.tsx";
import { SessionTitle } from "./SessionTitle.tsx";

interface Props {
  isInspectorOpen: boolean;
  onInspector: () => void;
  onFind: () => void;
}

export function SessionHeader({ isInspectorOpen, onInspector, onFind }: Props) {
  const session = useSession((state) => state.session);
  return (
    <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 border-b border-line px-4 max-md:pt-1 md:flex-nowrap">
      {session ? (
        <>
          <SessionTitle session={session} />
          <SessionPlace />
          <SessionCost />
          <ContextRing />
          <HeaderMenu session={session} onFind={onFind} />
        </>
      ) : (
        <h1 className="flex-1 font-semibold">Session</h1>
      )}
      <button
        type="button"
        aria-label="Inspector"
        aria-pressed={isInspectorOpen}
        title={`Inspector (${modKey} J)`}
        className="rounded p-1.5 text-muted hover:bg-hover aria-pressed:text-accent"
        onClick={onInspector}
      >
        <PanelRight aria-hidden="true" className="size-4" />
      </button>
    </header>
  );
}
