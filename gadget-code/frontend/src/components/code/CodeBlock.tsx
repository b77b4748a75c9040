import { memo } from "react";
import { CopyButton } from "../ui/CopyButton.tsx";
import { useHighlight } from "./use-highlight.ts";

interface Props {
  code: string;
  language: string;
  isLive?: boolean;
}

export const CodeBlock = memo(function CodeBlock({ code, language, isLive = false }: Props) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center border-b border-line py-0.5 pr-1 pl-3 text-xs text-faint">
        <span className="flex-1">{language.split(/\s/, 1)[0] || "text"}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <HighlightedCode code={code} language={language} isLive={isLive} />
    </figure>
  );
});

/** Colours come later and change nothing but colours: no line grows or moves. */
export function HighlightedCode({ code, language, isLive = false }: Props) {
  const lines = useHighlight(code, language, !isLive);
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable: keys must reach it
      tabIndex={0}
      className="overflow-x-auto px-3 py-2 font-mono text-xs leading-5"
    >
      <code>
        {lines === undefined
          ? code
          : lines.map((line, index) => (
              <span key={index}>
                {line.map(({ text, light, dark }, at) => (
                  <span key={at} style={{ color: `light-dark(${light}, ${dark})` }}>
                    {text}
                  </span>
                ))}
                {index < lines.length - 1 && "\n"}
              </span>
            ))}
      </code>
    </pre>
  );
}
