import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.js";

/** Documents outside of docs/, with their path in the site. */
const OTHERS: Readonly<Record<string, string>> = {
  "README.md": "tour.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security-policy.md",
  "clients/typescript/README.md": "typescript-client.md",
  "packages/site-config/README.md": "site-config-package.md",
  "bench/README.md": "benchmarks.md",
  "bench/results.md": "benchmark-results.md",
};

/** Titles of pages in the sidebar whose headings are for other readers. */
const TITLES: Readonly<Record<string, string>> = {
  tour: "Introduction and tour",
  "typescript-client": "TypeScript client",
  "site-config-package": "Site configuration package",
};

/** The sidebar: files of docs/ without their extension, or paths of `OTHERS`. Further files of docs/ are added to "Guides". */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Start: ["README", "quick-start", "tour", "why", "concepts", "questions"],
  "Embed dashboards": [
    "embedding",
    "verify-sessions",
    "data-sources",
    "row-level-security",
    "postgraphile",
    "nextjs",
    "cors-and-iframes",
    "frameworks",
    "front-ends",
    "typescript-client",
  ],
  "Dashboard tools": ["integrations", ...files("integrations")],
  Recipes: files("recipes"),
  Guides: [
    ...["console", "console-editing", "console-preview", "console-sign-in"],
    "rest-api",
    "graphql",
    "safe-changes",
    "subscriptions",
    "history",
    "property-schema",
    "webhooks",
    "environment-as-a-file",
    "site-config-store",
    "site-config-package",
    "federation",
  ],
  Migrate: ["migrate-from-explo", "migrate-from-a-table", "importing"],
  "Solve a problem": ["refused-requests", "webhook-checklist", "leaked-secret", "failures"],
  Reference: [
    ...files("reference"),
    ...["errors", "command-line", "settings", "metrics", "limits", "rate-limits", "site-configuration"],
  ],
  Operations: [
    ...[
      "debian",
      "deployment",
      "database",
      "before-production",
      "upgrading",
      "upgrade-notes",
      "backup",
      "key-rotation",
    ],
    ...["observability", "alerts"],
    ...[
      "security",
      "data-protection",
      "access-and-erasure",
      "scaling",
      "capacity",
      "citus",
      "citus-behavior",
      "performance",
    ],
  ],
  Project: [
    "changelog",
    "security-policy",
    "ARCHITECTURE",
    "contributing",
    "release",
    "versions",
    "decisions/README",
    "benchmarks",
    "benchmark-results",
  ],
};

/** Returns the path in the site of a document of this repository. */
export function sitePathOf(document: string): string {
  const path = OTHERS[document] ?? document.replace(/^docs\//, "");
  return path.replace(/(^|\/)README\.md$/, "$1index.md");
}

/** Returns whether a file of this repository is a page of the site. */
export function isPage(path: string): boolean {
  return path in OTHERS || /^docs\/.*\.md$/.test(path);
}

/** An item of VitePress's sidebar, whose types are not among the packages of the root. */
interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: SidebarItem[];
}

/** Creates the sidebar, with the headings of the documents. */
export function createSidebar(): SidebarItem[] {
  const listed = new Set(Object.values(SECTIONS).flat());
  const unlisted = files("").filter((page) => !listed.has(page));
  return Object.entries(SECTIONS).map(([text, pages]) => ({
    text,
    items: (text === "Guides" ? [...pages, ...unlisted] : pages).map((page) => ({
      ...itemOf(page, TITLES[page] ?? headingOf(documentOf(page)).replace(`${text} in `, "")),
      ...(page === "decisions/README" && {
        collapsed: true,
        items: files("decisions").map((decision) => itemOf(decision)),
      }),
    })),
  }));
}

function itemOf(page: string, text = headingOf(documentOf(page))): SidebarItem {
  return { text, link: `/${sitePathOf(documentOf(page)).replace(/(?:index)?\.md$/, "")}` };
}

function documentOf(page: string): string {
  return Object.keys(OTHERS).find((path) => OTHERS[path] === `${page}.md`) ?? `docs/${page}.md`;
}

function headingOf(document: string): string {
  const [, heading = document] = /^# (.+)$/m.exec(readFileSync(join(root, document), "utf8")) ?? [];
  return heading.replaceAll("`", "");
}

/** The documents of a folder of docs/, without their extension. */
function files(folder: string): string[] {
  return readdirSync(join(root, "docs", folder))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => join(folder, name.slice(0, -".md".length)))
    .toSorted();
}
