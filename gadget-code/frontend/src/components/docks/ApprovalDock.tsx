import { type ApprovalDecision, duration, type PartOf, type TurnId } from "@gadget/api";
import { useId, useState } from "react";
import { useSessionActions, useTurn } from "../../session/session-context.ts";
import { DiffView } from "../code/DiffView.tsx";
import { toolTitle } from "../parts/tool-title.ts";
import { Button } from "../ui/Button.tsx";
import { Dock } from "./Dock.tsx";

export function ApprovalDock({ turnId, part }: { turnId: TurnId; part: PartOf<"approval"> }) {
  const actions = useSessionActions();
  const path = useAim(turnId, part);
  const [reason, setReason] = useState("");
  const [isSending, setSending] = useState(false);
  const allowsId = useId();

  const decide = async (decision: ApprovalDecision): Promise<void> => {
    setSending(true);
    const why = decision === "deny" && reason.trim() !== "" ? reason.trim() : undefined;
    if (!(await actions.answerApproval(turnId, part.id, decision, why))) {
      setSending(false);
    }
  };

  return (
    <Dock
      title="Approval"
      announce={`Approval needed for ${part.command ?? part.name}`}
      actions={
        <div className="flex flex-wrap items-center gap-2">
          <Button small tone="primary" disabled={isSending} onClick={() => void decide("once")}>
            Allow once
          </Button>
          {part.prefix !== undefined && (
            <Button
              small
              className="max-w-full shrink!"
              title={part.prefix}
              aria-describedby={part.allows && allowsId}
              disabled={isSending}
              onClick={() => void decide("session")}
            >
              <span>Allow</span>
              <code className="max-w-64 truncate font-mono text-xs">{part.prefix}</code>
              <span>in this session</span>
            </Button>
          )}
          <span className="flex min-w-56 flex-1 gap-2 low:min-w-0 low:flex-none">
            <input
              className="field h-7 py-0 text-[13px] low:hidden"
              aria-label="Reason for denying"
              placeholder="Say why not (optional)"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
            <Button small disabled={isSending} onClick={() => void decide("deny")}>
              Deny
            </Button>
          </span>
        </div>
      }
    >
      <p className="break-words">
        The agent wants to use <strong className="font-semibold">{part.name}</strong>
        {path && (
          <>
            {" on "}
            <code className="font-mono text-xs">{path}</code>
          </>
        )}
        :
      </p>
      {part.command && (
        <pre className="max-h-40 shrink-0 overflow-auto low:max-h-none rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap">
          {part.command}
        </pre>
      )}
      <HowItRuns part={part} />
      {part.diff && <DiffView diff={part.diff} />}
      {part.allows && (
        <p id={allowsId} className="text-muted text-xs break-words">
          “Allow in this session” allows {part.allows}
        </p>
      )}
    </Dock>
  );
}

/** What a command line does not say by itself. */
function HowItRuns({ part: { cwd, background, timeoutMs } }: { part: PartOf<"approval"> }) {
  const limit = timeoutMs !== undefined && duration(timeoutMs);
  if (cwd === undefined && background !== true && !limit) {
    return null;
  }
  return (
    <p className="break-words">
      {cwd !== undefined && (
        <>
          In the folder <code className="font-mono text-xs">{cwd}</code>.{" "}
        </>
      )}
      {background === true && "In the background: it goes on when the turn has ended. "}
      {limit && `For at most ${limit}.`}
    </p>
  );
}

/** What the call is about, where the approval does not show it itself. */
function useAim(turnId: TurnId, { callId, command }: PartOf<"approval">): string {
  const call = useTurn(turnId)?.transcript.parts.findLast(
    (part): part is PartOf<"tool"> => part.kind === "tool" && part.id === callId,
  );
  return call === undefined || command !== undefined ? "" : toolTitle(call).detail;
}
