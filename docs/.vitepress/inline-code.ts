import type { MarkdownRenderer } from "vitepress";

/** Shows `{{ … }}` in inline code as it is: VitePress does that only for blocks, and would evaluate it here. */
export function showBraces(md: MarkdownRenderer): void {
  md.core.ruler.push("braces", ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === "code_inline" && token.content.includes("{{")) token.attrSet("v-pre", "");
  });
}
