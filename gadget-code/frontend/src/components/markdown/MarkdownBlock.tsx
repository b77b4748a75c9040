import type { Token, Tokens } from "marked";
import { CodeBlock } from "../code/CodeBlock.tsx";
import { MarkdownInline } from "./MarkdownInline.tsx";

type Known =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.List
  | Tokens.Blockquote
  | Tokens.Code
  | Tokens.Table
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Space
  | Tokens.Def;

/** marked types its tokens with an open member for extensions; none is installed here. */
function isKnown(token: Token): token is Known {
  return token.type in kinds;
}

const kinds: Record<Known["type"], true> = {
  heading: true,
  paragraph: true,
  text: true,
  list: true,
  blockquote: true,
  code: true,
  table: true,
  hr: true,
  html: true,
  space: true,
  def: true,
};

const headings = ["h3", "h4", "h5", "h6"] as const;
const headingLooks = [
  "mt-3 text-xl",
  "mt-2.5 text-lg",
  "mt-2 text-base",
  "mt-1.5 text-[14px]",
  "mt-1 text-[13px] text-muted",
  "mt-1 text-xs tracking-wide text-muted uppercase",
];

export function MarkdownBlock({ token, isLive = false }: { token: Token; isLive?: boolean }) {
  if (!isKnown(token)) {
    return <p className="whitespace-pre-wrap">{token.raw}</p>;
  }
  switch (token.type) {
    case "heading": {
      // The page and the turn have the first two levels.
      const Heading = headings[Math.min(token.depth, 4) - 1] ?? "h6";
      return (
        <Heading dir="auto" className={`font-semibold ${headingLooks[token.depth - 1] ?? ""}`}>
          <MarkdownInline tokens={token.tokens} />
        </Heading>
      );
    }
    case "paragraph":
      return (
        <p dir="auto">
          <MarkdownInline tokens={token.tokens} />
        </p>
      );
    case "text":
      return (
        <p dir="auto">
          <MarkdownInline tokens={token.tokens ?? [token]} />
        </p>
      );
    case "list":
      return <MarkdownList list={token} isLive={isLive} />;
    case "blockquote":
      return (
        <blockquote
          dir="auto"
          className="flex flex-col gap-2 border-s-2 border-line-strong ps-3 text-muted"
        >
          <MarkdownBlocksOf tokens={token.tokens} isLive={isLive} />
        </blockquote>
      );
    case "code":
      return <CodeBlock code={token.text} language={token.lang ?? ""} isLive={isLive} />;
    case "table":
      return <MarkdownTable table={token} />;
    case "hr":
      return <hr className="border-line" />;
    case "html":
      return <p className="whitespace-pre-wrap">{token.raw.trimEnd()}</p>;
    case "space":
    case "def":
      return null;
  }
}

function MarkdownBlocksOf({ tokens, isLive }: { tokens: readonly Token[]; isLive: boolean }) {
  return tokens.map((token, index) => <MarkdownBlock key={index} token={token} isLive={isLive} />);
}

function MarkdownList({ list, isLive }: { list: Tokens.List; isLive: boolean }) {
  const items = list.items.map((item, index) => (
    <li key={index} dir="auto" className={item.task ? "-ml-5 flex list-none gap-2" : "pl-0.5"}>
      {item.task && (
        <input
          type="checkbox"
          readOnly
          checked={item.checked ?? false}
          aria-label="Done"
          className="mt-1 self-start"
        />
      )}
      <div className="flex min-w-0 flex-col gap-1.5">
        <MarkdownBlocksOf
          tokens={item.tokens.filter(({ type }) => type !== "checkbox")}
          isLive={isLive}
        />
      </div>
    </li>
  ));
  return list.ordered ? (
    <ol
      start={list.start === "" ? 1 : list.start}
      className="flex list-decimal flex-col gap-1 pl-6"
    >
      {items}
    </ol>
  ) : (
    <ul className="flex list-disc flex-col gap-1 pl-5">{items}</ul>
  );
}

const sides = { left: "text-left", center: "text-center", right: "text-right tabular-nums" };

function sideOf({ align }: Tokens.Table, column: number): string {
  const side = align[column];
  return side ? sides[side] : "text-start";
}

function MarkdownTable({ table }: { table: Tokens.Table }) {
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse text-[13px]">
        <thead>
          <tr>
            {table.header.map((cell, column) => (
              <th
                key={column}
                dir="auto"
                className={`border border-line bg-panel px-2.5 py-1 font-semibold ${sideOf(table, column)}`}
              >
                <MarkdownInline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td
                  key={column}
                  dir="auto"
                  className={`border border-line px-2.5 py-1 ${sideOf(table, column)}`}
                >
                  <MarkdownInline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
