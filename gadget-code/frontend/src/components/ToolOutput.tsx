import { memo, useLayoutEffect, useRef } from "react";
import { ansiPieces } from "../lib/ansi.ts";

const shownChars = 60_000;

/** The tail of what a tool printed; it follows its own end unless it was scrolled away from it. */
export const ToolOutput = memo(function ToolOutput({ text }: { text: string }) {
  const box = useRef<HTMLPreElement>(null);
  const isFollowing = useRef(true);
  const tail = text.length > shownChars ? text.slice(-shownChars) : text;
  useLayoutEffect(() => {
    const element = box.current;
    if (element && isFollowing.current) element.scrollTop = element.scrollHeight;
  });
  return (
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
      {ansiPieces(tail).map(({ text: piece, className, color }, index) =>
        className === "" ? (
          piece
        ) : (
          <span
            key={index}
            className={className}
            style={color === undefined ? undefined : { color }}
          >
            {piece}
          </span>
        ),
      )}
    </pre>
  );
});
