import type { FolderEntry } from "@gadget/api";
import { File, Folder } from "lucide-react";
import { useRequest } from "../../lib/use-request.ts";
import { useSessionFeed } from "../../session/session-context.ts";
import type { FileMention } from "./file-mention.ts";

const most = 8;

/** The files and folders that a mention may mean. */
export function useFileChoices(mention: FileMention | undefined): readonly FolderEntry[] {
  const { sessionId } = useSessionFeed();
  const path = mention?.folder.replace(/\/$/, "") ?? "";
  const listing = useRequest(
    "readFiles",
    { params: { id: sessionId }, query: path === "" ? {} : { path } },
    { enabled: mention !== undefined },
  );
  if (mention === undefined || listing.data?.kind !== "folder") {
    return [];
  }
  const prefix = mention.prefix.toLowerCase();
  return listing.data.entries
    .filter(({ name }) => name !== ".git" && name.toLowerCase().includes(prefix))
    .slice(0, most);
}

interface Props {
  choices: readonly FolderEntry[];
  at: number;
  onChoose: (entry: FolderEntry) => void;
}

/** The list above the textbox; the keys are the textbox's own. It takes Esc to close. */
export function FileCompletion({ choices, at, onChoose }: Props) {
  return (
    <ul
      id="file-choices"
      role="listbox"
      aria-label="Files"
      data-overlay
      className="mx-2 mt-2 rounded-lg border border-line bg-canvas p-1"
    >
      {choices.map((entry, index) => {
        const Icon = entry.kind === "folder" ? Folder : File;
        return (
          <li
            key={entry.path}
            id={`file-choice-${index}`}
            role="option"
            aria-selected={index === at}
            className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1 text-[13px] aria-selected:bg-hover"
            // The press would take the focus from the textbox.
            onPointerDown={(event) => {
              event.preventDefault();
              onChoose(entry);
            }}
          >
            <Icon aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
            <span className="truncate">{entry.path}</span>
          </li>
        );
      })}
    </ul>
  );
}
