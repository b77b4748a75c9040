import { createHighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { grammarOf } from "./grammar-of.ts";
import type { HighlightAnswer, HighlightQuestion } from "./use-highlight.ts";

const themes = { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } as const;

const highlighter = createHighlighterCore({
  themes: [
    import("shiki/themes/github-light-high-contrast.mjs"),
    import("shiki/themes/github-dark-high-contrast.mjs"),
  ],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

async function answer({ id, code, language }: HighlightQuestion): Promise<HighlightAnswer> {
  const found = grammarOf(language);
  if (found === undefined) {
    return { id, lines: undefined };
  }
  const shiki = await highlighter;
  await shiki.loadLanguage(found.grammar);
  const { tokens } = shiki.codeToTokens(code, { lang: found.name, themes, defaultColor: false });
  return {
    id,
    lines: tokens.map((line) =>
      line.map(({ content, htmlStyle }) => ({
        text: content,
        light: htmlStyle?.["--shiki-light"] ?? "inherit",
        dark: htmlStyle?.["--shiki-dark"] ?? "inherit",
      })),
    ),
  };
}

addEventListener("message", (event: MessageEvent<HighlightQuestion>) => {
  const { id } = event.data;
  void answer(event.data)
    .catch((): HighlightAnswer => ({ id, lines: undefined }))
    .then((result) => postMessage(result));
});
