import type { EnhanceAppContext } from "vitepress";
import { DOCS_SEARCH } from "../../../console/src/palette/docs-search-options.js";

/**
 * Sets the options of the search in the browser: functions in the configuration would be sent as text and evaluated, which the
 * Content-Security-Policy forbids.
 */
export function improveSearch({ siteData }: EnhanceAppContext): void {
  const { themeConfig } = siteData.value;
  const miniSearch = { searchOptions: DOCS_SEARCH };
  siteData.value = {
    ...siteData.value,
    themeConfig: {
      ...themeConfig,
      search: { ...themeConfig.search, options: { ...themeConfig.search.options, miniSearch } },
    },
  };
}
