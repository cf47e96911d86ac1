import { existsSync, statSync } from "node:fs";
import { join, posix, relative } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { isPage, sitePathOf } from "./pages.js";
import { BASE, root } from "./paths.js";

/** The service's URL in the documents. */
const SERVICE = "http://127.0.0.1:4000";
/** Folder of the site for files of the repository that documents link to. */
export const FILES = "files";
/** The paths of these files, known once all pages are rendered. */
export const linkedFiles = new Set<string>();

/** Changes links between files of the repository, which work on GitHub, to links within the site, and links to the service to relative ones. */
export function resolveRepositoryLinks(md: MarkdownRenderer): void {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : null;
      if (href?.startsWith(SERVICE)) {
        token.attrSet("href", `${BASE}..${href.slice(SERVICE.length) || "/"}`);
        token.attrSet("target", "_self");
      }
      if (href === null || /^(?:[a-z]+:|#)/.test(href)) continue;
      const [path = "", anchor] = href.split("#");
      // The search index has no realPath; there, path is that of the file.
      const folder = posix.dirname(relative(root, env.realPath ?? env.path));
      const target = pageOrFile(posix.join(folder, path));
      if (isPage(target)) {
        token.attrSet(
          "href",
          `/${sitePathOf(target).replace(/(?:index)?\.md$/, "")}${anchor ? `#${anchor}` : ""}`,
        );
      } else {
        linkedFiles.add(target);
        token.attrSet("href", `${BASE}${FILES}/${target}`);
        token.attrSet("target", "_blank");
      }
    }
  });
}

/** A folder stands for its README. */
function pageOrFile(path: string): string {
  const readme = posix.join(path, "README.md");
  return existsSync(join(root, path)) && statSync(join(root, path)).isDirectory() ? readme : path;
}
