import { count, linesIn } from "@gadget/api";
import { memo, useLayoutEffect, useRef, useState } from "react";
import { AnsiText } from "../code/AnsiText.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Dialog } from "../ui/Dialog.tsx";

const shownChars = 60_000;

interface Props {
  text: string;
  /** How many lines were cut off before it. */
  earlier?: number;
  /** Fetches what was cut off. */
  onWhole?: (() => void) | undefined;
}

/** The end of a text, from the beginning of a line on. */
function tailOf(text: string): string {
  if (text.length <= shownChars) {
    return text;
  }
  const tail = text.slice(-shownChars);
  const line = tail.indexOf("\n");
  return line === -1 ? tail : tail.slice(line + 1);
}

/** The tail of what a tool printed; it follows its own end unless it was scrolled away from it. */
export const ToolOutput = memo(function ToolOutput({ text, earlier = 0, onWhole }: Props) {
  const box = useRef<HTMLPreElement>(null);
  const isFollowing = useRef(true);
  const [isLogOpen, setLogOpen] = useState(false);
  const tail = tailOf(text);
  const cut = earlier + linesIn(text.slice(0, text.length - tail.length));
  useLayoutEffect(() => {
    const element = box.current;
    if (element && isFollowing.current) {
      element.scrollTop = element.scrollHeight;
    }
  });
  const openLog = (): void => {
    onWhole?.();
    setLogOpen(true);
  };
  return (
    <>
      {(cut > 0 || onWhole !== undefined) && (
        <p className="bg-sunken px-3 pt-1.5 text-xs text-faint">
          {cut > 0
            ? `${cut.toLocaleString("en")} earlier ${cut === 1 ? "line" : "lines"}`
            : "Its beginning is not shown"}{" "}
          ·{" "}
          <button type="button" className="rounded text-accent hover:underline" onClick={openLog}>
            Open full log
          </button>
        </p>
      )}
      <pre
        ref={box}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable: keys must reach it
        tabIndex={0}
        aria-label="Output"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isFollowing.current = scrollHeight - scrollTop - clientHeight < 8;
        }}
        className="max-h-72 overflow-auto bg-sunken px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap"
      >
        <AnsiText text={tail} />
      </pre>
      {isLogOpen && <FullLog text={text} onClose={() => setLogOpen(false)} />}
    </>
  );
});

/** All that is stored of it. */
function FullLog({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <Dialog title="Full log" wide onClose={onClose}>
      <div className="mb-2 flex items-center justify-between text-xs text-muted">
        <span>{count(linesIn(text), "line")}</span>
        <CopyButton text={text} label="Copy the log" />
      </div>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable: keys must reach it
        tabIndex={0}
        aria-label="Full log"
        className="max-h-[60vh] overflow-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap"
      >
        <AnsiText text={text} />
      </pre>
    </Dialog>
  );
}
