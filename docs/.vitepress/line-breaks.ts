import type { MarkdownRenderer } from "vitepress";

/** Longer code would not fit the narrowest screens. */
const MAX_LENGTH = 30;
/** Names and paths that may not fit a heading or a cell on narrow screens. */
const LONG_WORD = /[\w./:@]{15,}/g;
const BREAK_OPPORTUNITY = /[a-z\d](?=[A-Z])|[._/@](?=\w)/g;

/** Keeps options such as `--subgraph` whole, and lets long names break between their words. */
export function controlLineBreaks(md: MarkdownRenderer): void {
  md.core.ruler.push("short-code", ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const { type, content } = token;
      if (type === "code_inline" && content.includes("-") && content.length <= MAX_LENGTH)
        token.attrJoin("class", "short-code");
    }
  });
  const { rules } = md.renderer;
  for (const name of ["text", "code_inline"]) {
    const render = rules[name];
    rules[name] = (...args) =>
      (render?.(...args) ?? "").replace(LONG_WORD, (word) => word.replace(BREAK_OPPORTUNITY, "$&<wbr>"));
  }
}
