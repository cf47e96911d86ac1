import type { JsonObject, JsonValue } from "../../src/domain/shared/json.js";

interface SiteRules {
  /** A multiple of ten; with each come about 500 bytes of text. */
  readonly pages: number;
  /** Faulty: every group has a fault, and every colored anchor. Changed: every other product's navigation differs from the valid. */
  readonly state: "valid" | "invalid" | "changed";
}

const PAGES_PER_PRODUCT = 10;
const VERSIONS = ["v3.2", "v3.1", "v3.0", "v2.4"];
const LANGUAGES = ["Go", "Java", "Kotlin", "PHP", "Python", "Ruby", "TypeScript"];
const OPENAPI = ["accounts", "customers", "events", "invoices", "payments", "subscriptions", "webhooks"];
/** Members of a group that are errors or warnings, each kind in its turn. All leave the pages known. */
const FAULTS: readonly JsonObject[] = [
  { group: null },
  { grup: "Guides" },
  { version: "v3.3" },
  { icon: ["book"], version: "v3" },
];

/**
 * Makes the configuration of a site about many products, each of which has a tab, anchors, OpenAPI files, links, and
 * five groups of pages nested in three levels.
 */
export function siteConfigOf({ pages, state }: SiteRules): JsonObject {
  const ids = Array.from({ length: pages / PAGES_PER_PRODUCT }, (_, id) => id);
  const background = { light: "#ffffff", dark: "#0f1117" };
  return {
    name: "Acme Cloud",
    logo: { light: "/logo/light.svg", dark: "/logo/dark.svg", href: "https://acme.example" },
    favicon: "/favicon.svg",
    colors: { primary: "#16a34a", light: "#4ade80", dark: "#166534", background },
    topbarCtaButton: { name: "Dashboard", url: "https://dashboard.acme.example" },
    versions: VERSIONS,
    topbarLinks: ids.flatMap((id) => [
      { name: `Status of product ${id}`, url: `https://product-${id}.acme.example/status` },
      {
        name: `Support for product ${id}`,
        url: `https://product-${id}.acme.example/support/contact?source=documentation`,
      },
      { name: `Prices of product ${id}`, url: `https://product-${id}.acme.example/prices` },
    ]),
    tabs: ids.map((id) => ({ name: `Product ${id}`, url: folderOf(id) })),
    anchors: ids.flatMap((id) => anchorsOf(id, state === "invalid")),
    api: { baseUrl: "https://api.acme.example", auth: { method: "bearer" }, playground: { mode: "show" } },
    openapi: ids.flatMap((id) =>
      OPENAPI.map((file) => `https://api.acme.example/products/product-${id}/openapi/${file}.json`),
    ),
    footerSocials: { github: "https://github.com/acme", linkedin: "https://www.linkedin.com/company/acme" },
    feedback: { suggestEdit: true, raiseIssue: true },
    navigation: ids.map((id) => navigationOf(id, state)),
  };
}

function folderOf(product: number): string {
  return `documentation/products/product-${product}`;
}

function anchorsOf(product: number, isFaulty: boolean): JsonObject[] {
  const common = {
    iconType: "duotone",
    color: { from: isFaulty ? "16a34a" : "#16a34a", to: "#4ade80" },
    version: VERSIONS[product % VERSIONS.length] ?? "",
    isDefaultHidden: false,
  };
  const libraries = "https://libraries.acme.example";
  return [
    {
      name: `Product ${product} API reference`,
      url: `${folderOf(product)}/reference`,
      icon: "square-terminal",
      ...common,
    },
    ...LANGUAGES.map((language) => ({
      name: `Product ${product} for ${language}`,
      url: `${libraries}/${language.toLowerCase()}/product-${product}/index.html`,
      icon: "book-open",
      ...common,
    })),
  ];
}

function navigationOf(product: number, state: SiteRules["state"]): JsonObject {
  const isChanged = state === "changed" && product % 2 === 0;
  const group = (id: number, name: string, pages: readonly JsonValue[]): JsonObject => ({
    group: name,
    pages,
    ...(state === "invalid" ? FAULTS[(5 * product + id) % FAULTS.length] : {}),
  });
  const pages = (part: string) =>
    ["concepts-and-terms", "step-by-step-instructions"].map((page) => `${folderOf(product)}/${part}/${page}`);
  return group(0, `Product ${product}${isChanged ? " (beta)" : ""}`, [
    ...pages("guides/overview").slice(isChanged ? 1 : 0),
    group(1, "Guides", [
      ...pages("guides/first-steps-with-the-service"),
      group(2, "Moving to production", pages("guides/moving-to-production")),
      ...(isChanged ? pages("guides/questions-and-answers") : []),
    ]),
    group(3, "API reference", [
      ...pages("reference/authentication-and-limits"),
      group(4, "Customers and invoices", pages("reference/customers-and-invoices")),
    ]),
  ]);
}
