import type { ChatTurn } from "@gadget/api";
import { useNavigate } from "react-router";
import { replaceText } from "../lib/replace-text.ts";
import { useSession, useSessionActions, useSessionFeed } from "./session-context.ts";

interface EditPrompt {
  isEditing: boolean;
  isResending: boolean;
  /** Puts an earlier prompt into the composer; what stands there waits meanwhile. */
  edit: (turn: ChatTurn) => void;
  discard: () => void;
  /** A copy of the session up to that turn goes on with the new prompt, and is opened. */
  resend: (prompt: string) => Promise<void>;
}

export function useEditPrompt(): EditPrompt {
  const actions = useSessionActions();
  const { store } = useSessionFeed();
  const navigate = useNavigate();
  const editing = useSession((state) => state.editing);

  const show = (text: string): void => {
    const box = document.getElementById("message");
    const isTyped = box instanceof HTMLTextAreaElement && replaceText(box, text);
    if (!isTyped) {
      actions.setDraft(text);
    }
  };

  return {
    isEditing: editing !== undefined,
    isResending: editing?.isSending === true,
    edit: ({ id: turnId, prompt }) => {
      const { draft, editing: before } = store.getState();
      store.setState({ editing: { turnId, kept: before?.kept ?? draft } });
      show(prompt);
    },
    discard: () => {
      show(editing?.kept ?? "");
      store.setState({ editing: undefined });
    },
    resend: async (prompt) => {
      if (editing === undefined || editing.isSending) {
        return;
      }
      store.setState({ editing: { ...editing, isSending: true } });
      const copy = await actions.resend(editing.turnId, prompt);
      if (copy === undefined) {
        return store.setState({ editing });
      }
      store.setState({ editing: undefined });
      actions.setDraft(editing.kept);
      await navigate(`/sessions/${copy}`);
    },
  };
}
