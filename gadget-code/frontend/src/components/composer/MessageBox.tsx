import type { FoundFile } from "@gadget/api";
import {
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { isComposing } from "../../lib/is-composing.ts";
import { replaceText } from "../../lib/replace-text.ts";
import { showToast } from "../../lib/toast.ts";
import { useFoundFiles } from "../../lib/use-found-files.ts";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import { FileCompletion } from "./FileCompletion.tsx";
import { completeMention, mentionAt } from "./file-mention.ts";
import { foundWords } from "./found-words.ts";

const mostChoices = 10;

interface Props {
  ref: RefObject<HTMLTextAreaElement | null>;
  text: string;
  placeholder: string;
  onChange: (text: string) => void;
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
}

/** The textbox `Message`, with the completion of `@file`. */
export function MessageBox({ ref, text, placeholder, onChange, onKeyDown }: Props) {
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string>();
  const lastPrompt = useSession(({ order, turns }) => {
    const last = order.findLast((id) => (turns.get(id)?.turn.prompt ?? "") !== "");
    return last === undefined ? "" : (turns.get(last)?.turn.prompt ?? "");
  });
  const wanted = useRef<number>(undefined);
  const [isFocused, setFocused] = useState(false);
  // A list that stayed behind would take the Esc that is meant for the turn.
  const mention = !isFocused || closedFor === text ? undefined : mentionAt(text, caret);
  const found = useFoundFiles(useSessionFeed().sessionId, mention?.wanted);
  const choices = found.files.slice(0, mostChoices);
  const chosen = Math.min(at, choices.length - 1);
  const words = foundWords(found);
  const isOpen = mention !== undefined;
  const hasChoices = choices.length > 0;

  useLayoutEffect(() => {
    if (wanted.current === undefined) {
      return;
    }
    ref.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  });

  const choose = (entry: FoundFile | undefined): void => {
    if (entry === undefined || mention === undefined) {
      return;
    }
    const done = completeMention(text, caret, mention, entry.path, entry.kind === "folder");
    wanted.current = done.caret;
    setCaret(done.caret);
    setAt(0);
    onChange(done.text);
  };

  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "ArrowUp" && text === "" && lastPrompt !== "" && !isOpen) {
      event.preventDefault();
      if (!replaceText(event.currentTarget, lastPrompt)) {
        onChange(lastPrompt);
      }
      return;
    }
    if (!isOpen || isComposing(event.nativeEvent)) {
      return onKeyDown(event);
    }
    if (event.key === "Escape") {
      setClosedFor(text);
    } else if (!hasChoices) {
      return onKeyDown(event);
    } else if (event.key === "ArrowDown") {
      setAt((chosen + 1) % choices.length);
    } else if (event.key === "ArrowUp") {
      setAt((chosen - 1 + choices.length) % choices.length);
    } else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      choose(choices[chosen]);
    } else {
      return onKeyDown(event);
    }
    event.preventDefault();
  };

  return (
    <>
      {isOpen && <FileCompletion choices={choices} at={chosen} words={words} onChoose={choose} />}
      {/* Always there, so that what comes into it is announced. */}
      <p aria-live="polite" className="sr-only">
        {isOpen && (words === "" ? `${choices.length} to choose from` : words)}
      </p>
      <textarea
        ref={ref}
        id="message"
        dir="auto"
        aria-label="Message"
        aria-autocomplete="list"
        aria-controls={hasChoices ? "file-choices" : undefined}
        aria-activedescendant={hasChoices ? `file-choice-${chosen}` : undefined}
        rows={1}
        value={text}
        placeholder={placeholder}
        onChange={(event) => {
          setCaret(event.target.selectionStart);
          setAt(0);
          onChange(event.target.value);
        }}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKey}
        onPaste={(event) => {
          if (hasImage(event.clipboardData)) {
            sayNoImages(event);
          }
        }}
        onDragOver={(event) => {
          // Otherwise the browser would leave the page and show the file.
          if (event.dataTransfer.types.includes("Files")) {
            event.preventDefault();
          }
        }}
        onDrop={(event) => {
          if (event.dataTransfer.files.length > 0) {
            sayNoImages(event);
          }
        }}
        className="block field-sizing-content max-h-[40vh] min-h-[52px] low:max-h-[20vh] low:min-h-10 low:pt-2 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base outline-none placeholder:text-faint sm:text-[14px]"
      />
    </>
  );
}

function hasImage({ files }: DataTransfer): boolean {
  return [...files].some(({ type }) => type.startsWith("image/"));
}

function sayNoImages(event: SyntheticEvent): void {
  event.preventDefault();
  showToast(
    "Files and images can't be attached yet. Put the file into the workspace and name it with @.",
    { id: "attach", tone: "warning", ms: 6_000 },
  );
}
