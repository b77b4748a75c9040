import type { ChatSession } from "@gadget/api";
import { type KeyboardEvent, useState } from "react";
import { isComposing } from "../../lib/is-composing.ts";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";

/** The title is renamed in place: a click, Enter to keep, Esc to leave it. */
export function SessionTitle({ session }: { session: ChatSession }) {
  const { request } = useServices();
  const { attempt } = useAttempt();
  const [draft, setDraft] = useState<string>();

  const save = (): void => {
    const title = draft?.trim();
    setDraft(undefined);
    if (title === undefined || title === "" || title === session.title) {
      return;
    }
    void attempt(() => request("updateSession", { params: { id: session.id }, body: { title } }));
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) {
      return;
    }
    if (event.key === "Enter") {
      save();
    } else if (event.key === "Escape") {
      setDraft(undefined);
    }
  };

  if (draft !== undefined) {
    return (
      <input
        className="field h-7 min-w-0 flex-1 py-0 font-semibold"
        aria-label="Session title"
        data-owns-escape
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        maxLength={200}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={save}
      />
    );
  }
  return (
    <h1 className="min-w-24 flex-[1_1_6rem] truncate md:flex-[1_1_auto]">
      <button
        type="button"
        title={`${session.title} (rename)`}
        className="max-w-full truncate rounded px-1 text-left font-semibold hover:bg-hover"
        onClick={() => setDraft(session.title)}
      >
        {session.title}
      </button>
    </h1>
  );
}
