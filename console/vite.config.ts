import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { LINKS, THEME_KEY } from "./src/parts/site.js";

/** The files of this folder have the paths of the service's pages, so that relative URLs in them are right. */
const root = fileURLToPath(new URL("pages", import.meta.url));
const PAGES = ["index", "graphql", "api/docs", "console/index", "console/preview", "not-found"];
/** This page may not read the browser's storage. */
const WITHOUT_THEME = "console/preview";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Applies the selected theme before the first paint. The service allows the script by its hash. */
const THEME_SCRIPT = `document.documentElement.dataset.theme = localStorage.getItem("${THEME_KEY}") ?? "system";`;

/** Adds the header to the pages. The console, which has more in its header, renders it with React. */
const sharedParts: Plugin = {
  name: "shared-parts",
  transformIndexHtml: {
    order: "pre",
    handler(html, { path }) {
      const page = path.slice(1).replace(/(?:index)?\.html$/, "");
      const top = "../".repeat(page.split("/").length - 1) || "./";
      const links = LINKS.map(
        ({ page: name, path: href, label }) =>
          `<a data-page="${name}" href="${top}${href}"${href === page ? ' aria-current="page"' : ""}>${label}</a>`,
      );
      const header = readFileSync(`${root}/header.html`, "utf8");
      return {
        html: html
          .replace("<!-- header -->", header.replace("{root}", top).replace("{links}", links.join("")))
          .replace("{version}", version),
        tags: page === WITHOUT_THEME ? [] : [{ tag: "script", children: THEME_SCRIPT, injectTo: "head" }],
      };
    },
  },
};

export default defineConfig({
  root,
  // Relative, because the service may be served below a path prefix of a proxy.
  base: "./",
  // The sources of our packages, as in tsconfig.json.
  resolve: { tsconfigPaths: true },
  plugins: [sharedParts],
  build: {
    outDir: "../../dist/pages",
    emptyOutDir: true,
    target: "es2022",
    // No data: URLs, which the Content-Security-Policy of the pages blocks for scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // GraphiQL and Swagger UI are large.
    chunkSizeWarningLimit: 10_000,
    // The licences of what the pages contain require that their texts stay with it.
    license: { fileName: "licences.md" },
    rolldownOptions: {
      // What the pages of the console share is one file, not forty, apart from what all pages do.
      output: {
        codeSplitting: {
          groups: [
            {
              name: "common",
              test: /src.(api.(page-data|session-api)|parts.theme)\.ts$/,
              priority: 1,
            },
            { name: "shared", test: /\.(?:tsx?|js)$/, minShareCount: 5 },
          ],
        },
      },
      input: PAGES.map((page) => `${root}/${page}.html`),
      // On a busy machine it would report how long plugins ran.
      checks: { bundlerTimings: false },
      // Libraries mark files for React Server Components, which the console does not use.
      onLog: (level, log, handle) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
      },
    },
  },
});
