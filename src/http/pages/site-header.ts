import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The pages that the header links. */
export type SitePage = "console" | "playground" | "api-docs" | "docs";

/** Their paths, relative to the service's root. */
export const LINKS: Readonly<Record<SitePage, { readonly path: string; readonly label: string }>> = {
  console: { path: "console/", label: "Console" },
  playground: { path: "graphql", label: "GraphQL" },
  "api-docs": { path: "api/docs", label: "REST API" },
  docs: { path: "docs/", label: "Documentation" },
};

export const LOGO = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><circle cx="8" cy="8" r="4"/><circle cx="16" cy="16" r="4"/><path d="M16 4.5a3.5 3.5 0 0 1 0 7M8 12.5a3.5 3.5 0 0 0 0 7"/></svg>`;

/**
 * Renders the header that the pages share with the console (`console/src/parts/site-header.tsx`).
 * @param current undefined for the landing page
 * @param root relative URL of the service's root, because the service may be served below a path prefix of a proxy
 */
export function renderHeader(current: SitePage | undefined, root: string): string {
  const links = Object.entries(LINKS).map(
    ([name, { path, label }]) =>
      `<a data-page="${name}" href="${root}${path}"${name === current ? ' aria-current="page"' : ""}>${label}</a>`,
  );
  return `<header class="site-header">
<a class="brand" href="${root}">${LOGO} User groups</a>
<nav class="site-links" aria-label="Product">${links.join("")}</nav>
<label class="theme-switch"><span>Theme</span>
<select><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
</header>`;
}

/** Hides the links to pages that this service does not serve. The console, which renders its links itself, reads an attribute. */
export function hideLinks(html: string, disabled: readonly SitePage[]): string {
  const marked = html.replace('data-disabled=""', `data-disabled="${disabled.join(" ")}"`);
  return disabled.reduce(
    (text, page) => text.replaceAll(`data-page="${page}"`, `data-page="${page}" hidden`),
    marked,
  );
}

/** The key of the selected theme in the browser's storage, which the console and the documentation use too. */
export const THEME_KEY = "user-groups:theme";
/** Script that applies the theme before the first paint, and announces changes as the event `theme`. */
export const THEME_SCRIPT = `
const THEME_KEY = "${THEME_KEY}";
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
function currentTheme() {
  const stored = localStorage.getItem(THEME_KEY);
  // The documentation stores "auto" for the system's theme.
  const theme = stored === "light" || stored === "dark" ? stored : "system";
  return { theme, isDark: theme === "dark" || (theme === "system" && darkScheme.matches) };
}
function applyTheme() {
  const { theme } = currentTheme();
  document.documentElement.dataset.theme = theme;
  document.dispatchEvent(new Event("theme"));
}
darkScheme.addEventListener("change", applyTheme);
applyTheme();
addEventListener("DOMContentLoaded", () => {
  const select = document.querySelector(".theme-switch select");
  select.value = currentTheme().theme;
  select.addEventListener("change", () => {
    if (select.value === "system") localStorage.removeItem(THEME_KEY);
    else localStorage.setItem(THEME_KEY, select.value);
    applyTheme();
  });
});
`;

const STYLES = ["tokens.css", "site-header.css"];
const FOLDER = join("console", "src", "styles");

/** Reads the style sheet of the header from the console's sources, which are in the same checkout as the build. */
export async function headerStyle(): Promise<string> {
  const root = await findCheckout(import.meta.dirname);
  const texts = STYLES.map((name) => readFile(join(root, FOLDER, name), "utf8"));
  return (await Promise.all(texts)).join("\n");
}

async function findCheckout(directory: string): Promise<string> {
  try {
    await access(join(directory, FOLDER));
    return directory;
  } catch (error) {
    if (dirname(directory) === directory) throw error;
    return findCheckout(dirname(directory));
  }
}
