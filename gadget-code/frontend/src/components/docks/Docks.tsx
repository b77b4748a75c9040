import { useSession } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { openApproval, openQuestion } from "../../session/turn-entry.ts";
import { CloneState } from "../projects/CloneState.tsx";
import { ApprovalDock } from "./ApprovalDock.tsx";
import { CommandsDock } from "./CommandsDock.tsx";
import { DroneNotice } from "./DroneNotice.tsx";
import { NoDroneNotice } from "./NoDroneNotice.tsx";
import { QuestionDock } from "./QuestionDock.tsx";
import { QueueDock } from "./QueueDock.tsx";
import { TodoDock } from "./TodoDock.tsx";

/** Always in the same place, nearest to the composer. */
export function Docks() {
  const entry = useSession(runningEntry);
  const projectId = useSession((state) => state.session?.projectId);
  const question = entry && openQuestion(entry);
  const approval = entry && openApproval(entry);
  return (
    <>
      <DroneNotice />
      <NoDroneNotice />
      {projectId && <CloneState projectId={projectId} />}
      <CommandsDock />
      <TodoDock />
      <QueueDock />
      {entry && approval && (
        <ApprovalDock key={approval.id} turnId={entry.turn.id} part={approval} />
      )}
      {entry && question && (
        <QuestionDock key={question.id} turnId={entry.turn.id} part={question} />
      )}
    </>
  );
}
