import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfigWithTheme } from "vitepress";
import { compressFiles } from "../../console/build.js";
import { LINKS, THEME_KEY } from "../../console/src/parts/site.js";
import { showBraces } from "./inline-code.js";
import { controlLineBreaks } from "./line-breaks.js";
import { FILES, linkedFiles, resolveRepositoryLinks } from "./links.js";
import { createSidebar, sitePathOf } from "./pages.js";
import { BASE, root } from "./paths.js";

interface ThemeConfig extends DefaultTheme.Config {
  /** The pages of the service, for `theme/product-links.vue`. */
  readonly products: readonly { readonly path: string; readonly label: string }[];
}

const ICON = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(root, "console/pages/icon.svg"), "utf8"))}`;

/** The documentation site, from the Markdown files of this repository: `npm run docs:build`. */
export default defineConfigWithTheme<ThemeConfig>({
  title: "User groups",
  description: "A service that stores the user groups of embedded dashboards",
  lang: "en",
  base: BASE,
  srcDir: root,
  // Only documents for readers of the site.
  srcExclude: [
    "{.github,console,deploy,dist,migrations,schema-changes,scripts,src,test}/**",
    "clients/*/examples/**",
    "**/node_modules/**",
  ],
  rewrites: sitePathOf,
  outDir: join(root, "dist/docs"),
  cacheDir: join(root, "node_modules/.cache/vitepress"),
  cleanUrls: true,
  // A file in place of an inline script, so that the Content-Security-Policy is the same for all pages.
  metaChunk: true,
  head: [["link", { rel: "icon", href: ICON }]],
  // The theme that the user selected on another page of the service.
  appearance: { storageKey: THEME_KEY, writeDefaults: false },
  transformHtml: (html) => html.replace("vitepress-theme-appearance", THEME_KEY),
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // The anchors of GitHub, which the documents use.
    anchor: {
      slugify: (title) =>
        title
          .toLowerCase()
          .replace(/[^\w\- ]/g, "")
          .replaceAll(" ", "-"),
    },
    config: (md) => void md.use(resolveRepositoryLinks).use(controlLineBreaks).use(showBraces),
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        // Decisions and measurements would hide the guides.
        _render: (text, env, md) =>
          /^(?:docs\/decisions|bench)\//.test(env.relativePath) ? "" : md.render(text, env),
      },
    },
    logo: ICON,
    logoLink: { link: `${BASE}../`, target: "_self" },
    products: LINKS,
    sidebar: createSidebar(),
    outline: [2, 3],
    // The default accessible name differs from the text of the link.
    notFound: { quote: "The documentation has no page at this address.", linkLabel: "Take me home" },
    docFooter: { prev: false, next: false },
    externalLinkIcon: true,
  },
  vite: {
    build: { chunkSizeWarningLimit: 2_000 },
    logLevel: "warn",
    resolve: {
      alias: [
        {
          find: /^.*\/VPDocOutlineItem\.vue$/,
          replacement: join(root, "docs/.vitepress/theme/outline-item.vue"),
        },
      ],
    },
  },
  async buildEnd({ outDir }) {
    for (const path of linkedFiles) {
      if (!existsSync(join(root, path)))
        throw new Error(`A document links to ${path}, which does not exist.`);
      cpSync(join(root, path), join(outDir, FILES, path), { recursive: true });
    }
    await compressFiles(outDir);
  },
});
