import MiniSearch from "minisearch";
import type { Command } from "./commands.js";
import { DOCS_SEARCH } from "./docs-search-options.js";

const MAX_PAGES = 5;
/** Relative to the built script, which is in the folder `assets` below the service's root. */
const docs = new URL(/* @vite-ignore */ "../docs/", import.meta.url);

/** Loads the search index of the documentation site. @returns a function that finds its pages, best first */
export async function loadDocs(): Promise<(text: string) => readonly Command[]> {
  const { default: index } = await import(/* @vite-ignore */ new URL("search-index.js", docs).href);
  const sections = MiniSearch.loadJSON(index, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: DOCS_SEARCH,
  });
  return (text) => {
    const pages = new Map<string, Command>();
    for (const { id, title, titles } of sections.search(text)) {
      const [, path = ""] = String(id).split("/docs/");
      const [page = ""] = path.split("#");
      if (pages.has(page)) continue;
      pages.set(page, {
        id: `docs/${path}`,
        label: titles[0] ?? title,
        ...(titles.length > 0 && { detail: title }),
        run: () => location.assign(new URL(path, docs)),
      });
      if (pages.size === MAX_PAGES) break;
    }
    return [...pages.values()];
  };
}
