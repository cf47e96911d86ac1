import type { EnhanceAppContext } from "vitepress";

/** Words that readers use for terms of the documents. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  alternative: ["why", "compared"],
  alternatives: ["why", "compared"],
  bi: ["dashboard", "tools"],
  comparison: ["why", "compared"],
  compromised: ["leaked"],
  cookie: ["session"],
  docker: ["compose", "image"],
  cost: ["costs"],
  edge: ["runtime", "workers"],
  expiry: ["expires", "renew"],
  exposed: ["leaked"],
  gdpr: ["access", "erasure"],
  helm: ["kubernetes"],
  hmac: ["signature"],
  invite: ["people", "sign"],
  k8s: ["kubernetes"],
  multitenant: ["several", "customers", "tenant"],
  nextjs: ["next", "js"],
  nuxt: ["vue"],
  outage: ["fails"],
  oidc: ["openid"],
  powerbi: ["power", "bi"],
  price: ["cost", "costs"],
  pricing: ["cost", "costs"],
  production: ["live"],
  rls: ["rows"],
  saml: ["openid"],
  scale: ["scaling"],
  sso: ["openid", "people", "sign"],
  stolen: ["leaked"],
  sveltekit: ["svelte"],
  throttling: ["rate", "limits"],
  vuejs: ["vue"],
  vs: ["compared"],
  wsl: ["windows"],
};

/** The index, and pages that describe details or are for people who work on the service, come after the guides. */
const DETAILS =
  /^\/.*\/(?:#|reference\/|settings|limits|metrics|performance|capacity|changelog|contributing|release|ARCHITECTURE)/;
const RECIPES = /\/recipes\//;

/** How MiniSearch searches the documentation. */
const DOCS_SEARCH = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: (id: string) => (DETAILS.test(id) ? 0.3 : RECIPES.test(id) ? 0.5 : 1),
  processTerm: (term: string) => [term.toLowerCase(), ...(SYNONYMS[term.toLowerCase()] ?? [])],
};

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
