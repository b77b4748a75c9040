import { memo } from "react";

const looks: Record<string, string> = {
  "+": "bg-green-soft text-green",
  "-": "bg-danger-soft text-danger",
  "@": "text-faint",
};

/** The lines of the hunks: the file names above them stand elsewhere. */
function hunkLines(diff: string): string[] {
  let isInHunk = !diff.includes("@@");
  return diff.split("\n").filter((line) => {
    if (line.startsWith("@@")) {
      isInHunk = true;
    } else if (line.startsWith("diff ")) {
      isInHunk = false;
    }
    return isInHunk && line !== "";
  });
}

interface Props {
  path?: string;
  diff: string;
  /** It was taken back: shown, but struck out. */
  isUndone?: boolean;
}

/** A unified diff. Lines are text: nothing in them is ever markup. */
export const DiffView = memo(function DiffView({ path, diff, isUndone = false }: Props) {
  const lines = hunkLines(diff);
  return (
    // Without a path it stands in a card that has an edge already.
    <figure className={`bg-sunken ${path ? "overflow-hidden rounded-lg border border-line" : ""}`}>
      {path && (
        <figcaption className="border-b border-line px-3 py-1.5 font-mono text-xs text-muted">
          {path}
        </figcaption>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable: keys must reach it */}
      <pre
        className={`max-h-96 overflow-auto py-1 font-mono text-xs leading-5 ${isUndone ? "line-through" : ""}`}
        tabIndex={0}
      >
        {lines.map((line, index) => (
          // Lines have no identity of their own, and a diff does not change.
          <span key={index} className={`block px-3 ${looks[line[0] ?? ""] ?? "text-muted"}`}>
            {line}
            {"\n"}
          </span>
        ))}
      </pre>
    </figure>
  );
});
