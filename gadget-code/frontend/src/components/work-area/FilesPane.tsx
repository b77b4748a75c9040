import { CornerLeftUp, File, Folder } from "lucide-react";
import { useState } from "react";
import { useRequest } from "../../lib/use-request.ts";
import { useSessionFeed } from "../../session/session-context.ts";
import { HighlightedCode } from "../code/CodeBlock.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Loading } from "../ui/Loading.tsx";
import { byteSize } from "./byte-size.ts";

const row =
  "flex w-full items-center gap-2 rounded-md px-2 py-1 text-left text-[13px] hover:bg-hover";

/** The workspace, read on its drone; nothing is edited here. */
export function FilesPane() {
  const { sessionId } = useSessionFeed();
  const [path, setPath] = useState("");
  const options = { params: { id: sessionId }, query: path === "" ? {} : { path } };
  const shown = useRequest("readFiles", options, { keepPrevious: true });
  const parent = path.split("/").slice(0, -1).join("/");
  return (
    <div className="flex flex-col gap-1">
      {path !== "" && (
        <div className="flex items-center gap-2">
          <button type="button" className={row} onClick={() => setPath(parent)}>
            <CornerLeftUp aria-hidden="true" className="size-4 text-faint" />
            <span title={path} className="truncate font-mono text-xs">
              {path}
            </span>
          </button>
          <CopyButton text={path} label="Copy path" />
        </div>
      )}
      <Loading of={shown}>
        {(data) =>
          data.kind === "folder" ? (
            <ul>
              {data.entries.map(({ name, path: to, kind }) => {
                const Icon = kind === "folder" ? Folder : File;
                return (
                  <li key={to}>
                    <button type="button" className={row} onClick={() => setPath(to)}>
                      <Icon aria-hidden="true" className="size-4 shrink-0 text-faint" />
                      <span title={name} className="truncate">
                        {name}
                      </span>
                    </button>
                  </li>
                );
              })}
            </ul>
          ) : (
            <FileText
              path={data.path}
              size={data.size}
              text={data.text}
              isCut={data.cut}
              isBinary={data.binary}
            />
          )
        }
      </Loading>
    </div>
  );
}

interface FileProps {
  path: string;
  size: number;
  text: string | undefined;
  isCut: boolean;
  isBinary: boolean;
}

function FileText({ path, size, text, isCut, isBinary }: FileProps) {
  if (isBinary || text === undefined) {
    return <p className="px-2 text-[13px] text-muted">This file is binary; it is not shown.</p>;
  }
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <HighlightedCode code={text} language={path.split(".").at(-1) ?? ""} />
      {isCut && (
        <p className="border-t border-line px-3 py-1 text-xs text-faint">
          First {byteSize(new TextEncoder().encode(text).length)} of {byteSize(size)}
        </p>
      )}
    </div>
  );
}
