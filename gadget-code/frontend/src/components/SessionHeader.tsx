import { Link } from "react-router";
import { useSession } from "../session/session-context.ts";

export function SessionHeader() {
  const session = useSession((state) => state.session);
  return (
    <header className="flex h-11 shrink-0 items-center gap-3 border-b border-line px-4">
      <Link to="/" className="text-[13px] text-muted hover:text-ink">
        Sessions
      </Link>
      <h1 className="min-w-0 flex-1 truncate font-semibold">{session?.title ?? "Session"}</h1>
      {session?.model && <span className="text-xs text-faint">{session.model}</span>}
    </header>
  );
}
