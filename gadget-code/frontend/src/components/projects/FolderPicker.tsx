import type { DroneId } from "@gadget/api";
import { CornerLeftUp, Folder } from "lucide-react";
import { useState } from "react";
import { useRequest } from "../../lib/use-request.ts";
import { Loading } from "../ui/Loading.tsx";

interface Props {
  droneId: DroneId;
  value: string;
  onChange: (path: string) => void;
}

const row = "flex w-full items-center gap-2 px-3 py-1 text-left text-[13px] hover:bg-hover";

/** Walks the folders that a drone lets people open. The folder shown is the one that is chosen. */
export function FolderPicker({ droneId, value, onChange }: Props) {
  const [path, setPath] = useState<string>();
  const query = path === undefined ? {} : { path };
  const listing = useRequest(
    "listFolders",
    { params: { id: droneId }, query },
    { keepPrevious: true },
  );
  const go = (to: string | undefined): void => {
    setPath(to);
    onChange(to ?? "");
  };
  return (
    <div className="overflow-hidden rounded-lg border border-line-strong">
      <p
        title={value}
        className="truncate border-b border-line bg-panel px-3 py-1.5 font-mono text-xs text-muted"
      >
        {value === "" ? "Choose a folder" : value}
      </p>
      <div className="h-52 overflow-y-auto py-1">
        <Loading of={listing}>
          {({ parent, entries }) => (
            <ul>
              {path !== undefined && (
                <li>
                  <button type="button" className={row} onClick={() => go(parent ?? undefined)}>
                    <CornerLeftUp aria-hidden="true" className="size-4 text-faint" />
                    Up
                  </button>
                </li>
              )}
              {entries
                .filter(({ kind }) => kind === "folder")
                .map((entry) => (
                  <li key={entry.path}>
                    <button type="button" className={row} onClick={() => go(entry.path)}>
                      <Folder aria-hidden="true" className="size-4 text-faint" />
                      {entry.name}
                    </button>
                  </li>
                ))}
            </ul>
          )}
        </Loading>
      </div>
    </div>
  );
}
