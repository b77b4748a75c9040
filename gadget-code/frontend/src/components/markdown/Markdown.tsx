import type { Token } from "marked";
import { memo, useState } from "react";
import { MarkdownBlock } from "./MarkdownBlock.tsx";
import { MarkdownBlocks } from "./markdown-blocks.ts";

interface Props {
  text: string;
  /** Still being written: its last block is not highlighted yet. */
  isLive?: boolean;
}

/** Markdown as elements of our own making. Nothing in it is ever taken as HTML. */
export const Markdown = memo(function Markdown({ text, isLive = false }: Props) {
  const [blocks] = useState(() => new MarkdownBlocks());
  const tokens = blocks.of(text);
  return (
    <div className="markdown flex min-w-0 flex-col gap-2.5">
      {tokens.map((token, index) => (
        // Blocks are only ever added at the end, so their place is their identity.
        <Block key={index} token={token} isLive={isLive && index === tokens.length - 1} />
      ))}
    </div>
  );
});

const Block = memo(
  ({ token, isLive }: { token: Token; isLive: boolean }) => (
    <MarkdownBlock token={token} isLive={isLive} />
  ),
  (before, after) =>
    before.token.raw === after.token.raw &&
    before.token.type === after.token.type &&
    before.isLive === after.isLive,
);
