import { isSettled, type MessageMode } from "@gadget/api";
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import { isComposing } from "../../lib/is-composing.ts";
import { modKey } from "../../lib/mod-key.ts";
import { showToast } from "../../lib/toast.ts";
import { useSession, useSessionActions, useSessionFeed } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { openQuestion, statusOf, waitingForOf } from "../../session/turn-entry.ts";
import { useEditPrompt } from "../../session/use-edit-prompt.ts";
import { Button } from "../ui/Button.tsx";
import { EditNotice } from "./EditNotice.tsx";
import { EscapeHint } from "./EscapeHint.tsx";
import { MessageBox } from "./MessageBox.tsx";
import { PrimaryButton, type PrimaryMode } from "./PrimaryButton.tsx";

/** On a phone Enter is the only way to break a line; there the buttons send. */
const enterBreaks = () => globalThis.matchMedia?.("(pointer: coarse)").matches ?? false;

/** The children stand beside the buttons: approval mode, model. */
export function Composer({ children }: { children?: ReactNode }) {
  const actions = useSessionActions();
  const feed = useSessionFeed();
  const entry = useSession(runningEntry);
  const text = useSession((state) => state.draft);
  const isCancelling = useSession(
    (state) => entry !== undefined && state.cancelling.has(entry.turn.id),
  );
  const textbox = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  useKeptFocus(form, textbox);
  useEffect(() => {
    // On a phone the focus would bring up the keyboard over what one came to read.
    if (!enterBreaks()) {
      textbox.current?.focus();
    }
  }, []);

  const status = entry && statusOf(entry);
  const isAborting = status === "aborting" || isCancelling;
  const running = status !== undefined && !isSettled(status) ? entry : undefined;
  const mode: PrimaryMode = running === undefined ? "send" : isAborting ? "aborting" : "cancel";
  const message = text.trim();
  const question = running && !isAborting ? openQuestion(running) : undefined;

  /** The text leaves the box at once and comes back where it was refused. */
  const handOver = async (send: () => Promise<boolean>): Promise<void> => {
    const taken = text;
    actions.setDraft("");
    textbox.current?.focus();
    if (await send()) {
      return;
    }
    const typed = feed.store.getState().draft;
    actions.setDraft(typed === "" ? taken : `${taken}\n\n${typed}`);
  };

  const { isEditing, isResending, resend } = useEditPrompt();

  const send = (): void => {
    if (isEditing) {
      void (message !== "" && resend(message));
    } else if (message !== "") {
      void handOver(() => actions.submit({ prompt: message }));
    }
  };

  const sendWhileRunning = (how: MessageMode): void => {
    if (message === "" || running === undefined) {
      return;
    }
    void handOver(() => actions.sendMessage(running.turn.id, message, how));
  };

  /** While a question is open, this is where it is answered. */
  const answer = (): void => {
    if (message === "" || running === undefined || question === undefined) {
      return;
    }
    void handOver(() => actions.answerQuestion(running.turn.id, question.id, message));
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event.nativeEvent)) {
      return;
    }
    const hasModifier = event.metaKey || event.ctrlKey;
    if (enterBreaks() && !hasModifier) {
      return;
    }
    event.preventDefault();
    // A held key repeats; the second of them must not be taken for a message of its own.
    if (event.repeat) {
      return;
    }
    if (running === undefined || isEditing) {
      send();
    } else if (question !== undefined && !hasModifier) {
      answer();
    } else if (question !== undefined) {
      sendWhileRunning("queue");
    } else if (!isAborting) {
      sendWhileRunning(hasModifier ? "steer" : "queue");
    }
  };

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (running === undefined) {
      send();
    }
  };

  return (
    <form
      ref={form}
      onSubmit={onSubmit}
      className="relative shrink-0 rounded-xl border border-line-strong bg-raised shadow-sm focus-within:border-accent"
    >
      <EscapeHint />
      <EditNotice />
      <MessageBox
        ref={textbox}
        text={text}
        placeholder={
          question
            ? "Answer the question"
            : running
              ? "Queue a message, or steer the running turn"
              : "Ask, or say what to do"
        }
        onChange={(value) => actions.setDraft(value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex flex-wrap items-end gap-1.5 p-2 pt-1">
        <div className="flex min-w-0 flex-1 basis-36 items-center sm:basis-72 gap-1">
          {children}
        </div>
        {/* Its end is the form's corner, and Cancel its last: whatever comes and goes before it. */}
        <div className="ml-auto flex items-center justify-end gap-1.5 max-sm:[&>button]:px-2.5">
          {running && !isAborting && (
            <>
              {status === "processing" && waitingForOf(running) !== "finishing" && (
                <Button
                  tone="quiet"
                  title="No new tools, one last answer"
                  onClick={() => void actions.finishUp(running.turn.id)}
                >
                  Finish up
                </Button>
              )}
              {message !== "" && !isEditing && (
                <>
                  <Button
                    title={`Before the next model call${question ? "" : ` (${modKey} Enter)`}`}
                    onClick={() => sendWhileRunning("steer")}
                  >
                    Steer
                  </Button>
                  <Button
                    title={`As the next turn (${question ? `${modKey} Enter` : "Enter"})`}
                    onClick={() => sendWhileRunning("queue")}
                  >
                    Queue
                  </Button>
                </>
              )}
              {question && !isEditing && (
                <Button tone="primary" title="Enter" disabled={message === ""} onClick={answer}>
                  Answer
                </Button>
              )}
            </>
          )}
          {running && isEditing && (
            <Button disabled={isResending} onClick={send}>
              Send in a copy
            </Button>
          )}
          <PrimaryButton
            mode={mode}
            abortRequestedAt={running?.turn.abortRequestedAt}
            canSend={message !== "" && !isResending}
            onCancel={() => running && void actions.abort(running.turn.id)}
            onTooLate={() => showToast("The turn had just ended. Press Send again to send this.")}
            onForceStop={() => running && void actions.forceStop(running.turn.id)}
          />
        </div>
      </div>
    </form>
  );
}

/** Buttons come and go; when the focused one goes, the textbox takes the focus. */
function useKeptFocus(
  form: React.RefObject<HTMLFormElement | null>,
  textbox: React.RefObject<HTMLTextAreaElement | null>,
): void {
  const had = useRef(false);
  useLayoutEffect(() => {
    const active = document.activeElement;
    const lost =
      active === document.body || (active instanceof HTMLButtonElement && active.disabled);
    if (had.current && lost) {
      textbox.current?.focus();
    }
    had.current = form.current?.contains(document.activeElement) ?? false;
  });
  useEffect(() => {
    const element = form.current;
    const note = (event: FocusEvent): void => {
      had.current = element?.contains(event.target instanceof Node ? event.target : null) ?? false;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, [form]);
}
