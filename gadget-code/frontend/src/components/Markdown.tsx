import { memo } from "react";

/** Paragraphs and fenced code; everything is text, nothing is markup. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = text.split(/^```.*$/m);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {blocks.map((block, index) =>
        index % 2 === 1 ? (
          <pre
            key={index}
            className="overflow-x-auto rounded-lg border border-line bg-sunken p-3 font-mono text-xs"
          >
            {block.replace(/^\n|\n$/g, "")}
          </pre>
        ) : (
          block
            .split(/\n{2,}/)
            .filter((paragraph) => paragraph.trim() !== "")
            .map((paragraph, at) => (
              <p key={`${index}-${at}`} className="whitespace-pre-wrap">
                {paragraph.trim()}
              </p>
            ))
        ),
      )}
    </div>
  );
});
