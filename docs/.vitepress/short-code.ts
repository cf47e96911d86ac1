import type { MarkdownRenderer } from "vitepress";

/** Longer code would not fit the narrowest screens. */
const MAX_LENGTH = 30;

/** Marks options such as `--subgraph`, which browsers would break after a hyphen. */
export function markShortCode(md: MarkdownRenderer): void {
  md.core.ruler.push("short-code", ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const { type, content } = token;
      if (type === "code_inline" && content.includes("-") && content.length <= MAX_LENGTH)
        token.attrJoin("class", "short-code");
    }
  });
}
