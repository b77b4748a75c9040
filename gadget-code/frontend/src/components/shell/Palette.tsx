import { SessionId } from "@gadget/api";
import { type KeyboardEvent, useDeferredValue, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation, useNavigate } from "react-router";
import { useUser } from "../../lib/auth.ts";
import { isComposing } from "../../lib/is-composing.ts";
import type { FindLink } from "../../lib/use-finding.ts";
import { useFoundFiles } from "../../lib/use-found-files.ts";
import { useRequest } from "../../lib/use-request.ts";
import { mentionFile } from "../composer/mention-file.ts";
import { useNewSession } from "../sessions/use-new-session.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Excerpt } from "./Excerpt.tsx";

interface Entry {
  id: string;
  label: string;
  hint: string;
  /** The words that were found in it. */
  found?: string;
  run: () => unknown;
}

/** One box for sessions, pages and actions; words that match nothing are searched for in chats. */
export function Palette({ onClose, onSheet }: { onClose: () => void; onSheet: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const words = text.trim();
  const files = useFileEntries(words);
  const entries = useEntries(words.toLowerCase(), files.entries, onSheet);
  const chosen = Math.min(at, entries.length - 1);
  const chosenId = entries[chosen] && `palette-${entries[chosen].id}`;
  useEffect(() => {
    if (chosenId) {
      document.getElementById(chosenId)?.scrollIntoView({ block: "nearest" });
    }
  }, [chosenId]);

  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) {
      return;
    }
    // What is outside of the dialog takes no focus as long as it is there.
    flushSync(onClose);
    entry.run();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) {
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(entries[chosen]);
    }
  };

  return (
    <Dialog title="Go to" isPinned onClose={onClose}>
      <input
        className="field"
        role="combobox"
        aria-label="Find a session, a file, a page or an action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={chosenId}
        placeholder="A session, a file, a page, an action, or words in a chat"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul
        id="palette-list"
        role="listbox"
        aria-label="Results"
        className="mt-2 max-h-80 overflow-y-auto"
      >
        {entries.map((entry, index) => (
          // Keys act on the textbox; the pointer is the second way.
          <li
            key={entry.id}
            id={`palette-${entry.id}`}
            role="option"
            aria-selected={index === chosen}
            className="flex cursor-pointer items-baseline gap-3 rounded-md px-2.5 py-1.5 aria-selected:bg-hover"
            onPointerMove={() => setAt(index)}
            onClick={() => run(entry)}
          >
            <span className="min-w-0 flex-1 truncate">
              {entry.found === undefined ? (
                entry.label
              ) : (
                <Excerpt text={entry.label} words={entry.found} />
              )}
            </span>
            <span className="max-w-[45%] truncate text-xs text-faint">{entry.hint}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p className="mt-2 px-2.5 text-muted">Nothing matches.</p>}
      {files.problem !== undefined && (
        <p className="mt-2 px-2.5 text-muted">Files can't be looked for. {files.problem}</p>
      )}
    </Dialog>
  );
}

/** Files of the session that is open: choosing one names it in the composer. */
function useFileEntries(words: string): { entries: Entry[]; problem: string | undefined } {
  const [, kind, id] = useLocation().pathname.split("/");
  const sessionId = kind === "sessions" ? SessionId.safeParse(id).data : undefined;
  const { files, problem } = useFoundFiles(sessionId, words === "" ? undefined : words);
  const entries = files
    .filter((file) => file.kind === "file")
    .slice(0, 10)
    .map(({ path }, index) => ({
      id: `file-${index}`,
      label: path,
      hint: "File",
      run: () => mentionFile(path),
    }));
  return { entries, problem };
}

const marking = (find: string): FindLink => ({ find });

function useEntries(words: string, files: readonly Entry[], onSheet: () => void): Entry[] {
  const navigate = useNavigate();
  const user = useUser();
  const newSession = useNewSession();
  const sessions = useRequest("listSessions", { query: { limit: 60 } });
  const projects = useRequest("listProjects", {});
  const q = useDeferredValue(words);
  const found = useRequest(
    "search",
    { query: { q, limit: 10 } },
    { enabled: q.length > 2, keepPrevious: true },
  );
  const go = (path: string) => () => void navigate(path);

  const all: Entry[] = [
    ...(projects.data?.items ?? []).map(({ id, name }) => ({
      id: `new-${id}`,
      label: `New session in ${name}`,
      hint: "Action",
      run: () => newSession(id),
    })),
    ...(sessions.data?.items ?? []).map(({ id, title }) => ({
      id,
      label: title,
      hint: "Session",
      run: go(`/sessions/${id}`),
    })),
    ...(projects.data?.items ?? []).map(({ id, name }) => ({
      id: `project-${id}`,
      label: name,
      hint: "Project",
      run: go(`/projects/${id}`),
    })),
    { id: "home", label: "Home", hint: "Page", run: go("/") },
    { id: "drones", label: "Drones", hint: "Page", run: go("/drones") },
    ...(user.role === "owner"
      ? [{ id: "members", label: "Members", hint: "Page", run: go("/admin") }]
      : []),
    { id: "providers", label: "Providers", hint: "Settings", run: go("/settings/providers") },
    { id: "tokens", label: "API tokens", hint: "Settings", run: go("/settings/tokens") },
    { id: "account", label: "Account and theme", hint: "Settings", run: go("/settings/account") },
    { id: "keys", label: "Keyboard shortcuts", hint: "Action", run: onSheet },
  ];
  const matching = all.filter(({ label }) => label.toLowerCase().includes(words)).slice(0, 30);
  const hits = words.length > 2 ? (found.data?.items ?? []) : [];
  return [
    ...matching,
    ...files,
    ...hits.map(({ sessionId, turnId, title, excerpt }, index) => ({
      id: `hit-${index}`,
      label: excerpt,
      hint: title,
      found: q,
      // The session marks the words; of a title there is nothing to mark in it.
      run: () =>
        void (turnId === undefined
          ? navigate(`/sessions/${sessionId}`)
          : navigate(`/sessions/${sessionId}#turn-${turnId}`, { state: marking(q) })),
    })),
  ];
}
