import { useRequest } from "../../lib/use-request.ts";
import { useSessionFeed } from "../../session/session-context.ts";
import { CopyButton } from "../ui/CopyButton.tsx";

interface Props {
  command: string;
  /** Where in the workspace it ran; undefined: at its top. */
  folder: string | undefined;
  /** `exit 3` */
  end: string | undefined;
}

/** A command as it was given to the shell, whole. */
export function CommandLine({ command, folder, end }: Props) {
  const { sessionId } = useSessionFeed();
  const { data } = useRequest("getWorkspace", { params: { id: sessionId } });
  const top = data?.workspace.directory;
  const isTop = folder === undefined || folder === ".";
  const place = isTop ? top : folder.startsWith("/") || !top ? folder : `${top}/${folder}`;
  return (
    <div className="flex flex-col gap-1 px-3 py-2">
      <div className="flex items-start gap-2">
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable: keys must reach it
          tabIndex={0}
          aria-label="Command"
          className="max-h-48 min-w-0 flex-1 overflow-auto font-mono text-xs leading-5 break-words whitespace-pre-wrap"
        >
          {command}
        </pre>
        <CopyButton text={command} label="Copy the command" />
      </div>
      {(place !== undefined || end !== undefined) && (
        <p className="flex flex-wrap gap-x-3 text-xs text-faint">
          {place !== undefined && <span className="font-mono break-all">in {place}</span>}
          {end !== undefined && <span>{end}</span>}
        </p>
      )}
    </div>
  );
}
