import type { Token } from "marked";
import type { ReactNode } from "react";

/** What may be followed by a click. Everything else is shown as text. */
function safeUrl(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function textIn(token: Token, key: "text" | "href"): string {
  const value: unknown = key in token ? Reflect.get(token, key) : undefined;
  return typeof value === "string" ? value : "";
}

/** marked leaves entities in text for a browser to read; here they are read once, as text. */
function unescaped(text: string): string {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);
}

function tokensIn(token: Token): readonly Token[] {
  return "tokens" in token && Array.isArray(token.tokens) ? token.tokens : [];
}

export function MarkdownInline({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map((token, index) => <Inline key={index} token={token} />);
}

function Inline({ token }: { token: Token }): ReactNode {
  const children = <MarkdownInline tokens={tokensIn(token)} />;
  switch (token.type) {
    case "strong":
      return <strong className="font-semibold">{children}</strong>;
    case "em":
      return <em>{children}</em>;
    case "del":
      return <del>{children}</del>;
    case "br":
      return <br />;
    case "codespan":
      return (
        <code className="rounded bg-hover px-1 py-px font-mono text-[0.9em]">
          {textIn(token, "text")}
        </code>
      );
    case "link":
      return <SafeLink href={textIn(token, "href")} text={textIn(token, "text")} />;
    case "image":
      // A picture from outside would tell its server what was read here: it is never fetched.
      return <SafeLink href={textIn(token, "href")} text={`[image: ${textIn(token, "text")}]`} />;
    case "escape":
      return textIn(token, "text");
    case "text":
      return tokensIn(token).length > 0 ? children : unescaped(textIn(token, "text"));
    default:
      return token.raw;
  }
}

/** The whole address is shown, so that nobody clicks on something else than they read. */
function SafeLink({ href, text }: { href: string; text: string }) {
  const url = safeUrl(href);
  if (url === undefined) {
    return `${text} (${href})`;
  }
  const isPlain = text === href || text === url || `mailto:${text}` === url;
  return (
    <>
      <a
        href={url}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-accent underline underline-offset-2"
      >
        {text}
      </a>
      {!isPlain && <span className="text-xs break-all text-faint"> ({href})</span>}
    </>
  );
}
