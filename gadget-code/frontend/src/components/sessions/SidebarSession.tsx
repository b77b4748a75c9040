import type { ChatSession } from "@gadget/api";
import { Ellipsis } from "lucide-react";
import { NavLink } from "react-router";
import { useStore } from "zustand";
import { SessionMenu } from "./SessionMenu.tsx";
import { StateIcon } from "./StateIcon.tsx";
import { isUnseen, seenStore } from "./seen-store.ts";
import { sessionWord } from "./session-word.ts";

/** A row: its state, its title, and a menu that shows when it is pointed at or reached by keys. */
export function SidebarSession({ session }: { session: ChatSession }) {
  const isNew = useStore(seenStore, (state) => isUnseen(session, state.seen));
  return (
    <li className="group relative flex items-center rounded-md hover:bg-hover has-aria-[current=page]:bg-hover">
      <NavLink
        to={`/sessions/${session.id}`}
        title={session.title}
        className="flex min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1 text-[13px] leading-5 aria-[current=page]:font-medium"
      >
        <StateIcon word={sessionWord(session)} />
        <span className="min-w-0 flex-1 truncate">
          {session.title}
          {isNew && <span className="sr-only"> (new)</span>}
        </span>
        {isNew && <span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-accent" />}
      </NavLink>
      <div className="opacity-0 group-hover:opacity-100 focus-within:opacity-100 has-[[aria-expanded=true]]:opacity-100 pointer-coarse:opacity-100">
        <SessionMenu session={session} label={`Menu of ${session.title}`}>
          <Ellipsis aria-hidden="true" className="size-4" />
        </SessionMenu>
      </div>
    </li>
  );
}
