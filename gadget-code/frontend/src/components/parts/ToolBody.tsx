import type { PartOf, TurnId } from "@gadget/api";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import { DiffView } from "../code/DiffView.tsx";
import { CommandLine } from "./CommandLine.tsx";
import { ToolOutput } from "./ToolOutput.tsx";
import { exitWord } from "./tool-title.ts";

interface Props {
  turnId: TurnId;
  part: PartOf<"tool">;
  approval: PartOf<"approval"> | undefined;
}

/** What stands in an open card: the whole command, then what came of it. */
export function ToolBody({ turnId, part, approval }: Props) {
  const feed = useSessionFeed();
  const isUndone = useSession((state) => state.turns.get(turnId)?.turn.undone === true);
  const command = commandOf(part) ?? approval?.command;
  const isBackground = runsBehind(part);
  // What is told of these calls is told to the model: the card says the same in a word.
  const result = isBackground || part.outcome === "cancelled" ? "" : (part.result ?? "");
  const output = part.output === "" ? result : part.output;
  const wasRun = approval === undefined && part.outcome !== "never_started";
  const isOutputCut = part.outputCut === true;
  return (
    <>
      {part.name === "shell" && command !== undefined && (
        <CommandLine command={command} folder={folderOf(part)} end={exitWord(part)} />
      )}
      {part.diff && isUndone && <p className="px-3 pt-1.5 text-xs text-yellow">Undone</p>}
      {part.diff && <DiffView diff={part.diff} isUndone={isUndone} />}
      {!part.diff && output !== "" && wasRun && (
        <ToolOutput
          text={output}
          earlier={part.outputCutLines ?? 0}
          onWhole={isOutputCut ? () => feed.loadWhole(turnId) : undefined}
        />
      )}
      {((isOutputCut && part.diff) || part.inputCut) && (
        <p className="border-t border-line px-3 py-1 text-xs text-faint">
          {part.diff ? "The diff" : "The call"} was shortened.{" "}
          <button
            type="button"
            className="rounded text-accent hover:underline"
            onClick={() => feed.loadWhole(turnId)}
          >
            Show all of it
          </button>
        </p>
      )}
      {!part.diff && output === "" && wasRun && (
        <p className="px-3 py-1.5 text-xs text-faint">
          {isBackground
            ? "Runs in the background until it ends or you stop it."
            : part.state === "ended"
              ? "No output."
              : "No output yet."}
        </p>
      )}
      {!wasRun && <NotRun part={part} approval={approval} />}
    </>
  );
}

function NotRun({ part, approval }: Omit<Props, "turnId">) {
  if (approval?.open) {
    return <p className="px-3 py-1.5 text-xs text-yellow">It waits for your approval.</p>;
  }
  const reason = approval?.reason;
  return (
    <p className="px-3 py-1.5 text-xs whitespace-pre-wrap text-muted">
      {reason ?? part.result ?? "Nothing was run and nothing was changed."}
    </p>
  );
}

function argument({ input }: PartOf<"tool">, name: string): string | undefined {
  if (typeof input !== "object" || input === null) {
    return undefined;
  }
  const value: unknown = Reflect.get(input, name);
  return typeof value === "string" ? value : undefined;
}

/** It was started, and the call ended with that; its result is for the model. */
function runsBehind({ name, input, outcome }: PartOf<"tool">): boolean {
  const isAsked =
    typeof input === "object" && input !== null && Reflect.get(input, "background") === true;
  return name === "shell" && isAsked && outcome === "finished";
}

const commandOf = (part: PartOf<"tool">) => argument(part, "command");
const folderOf = (part: PartOf<"tool">) => argument(part, "path");
