import { defineConfig } from "vite";

export default defineConfig({
  // Relative, because the service may be served below a path prefix of a proxy.
  base: "./",
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    target: "es2022",
    // No data: URLs, which the Content-Security-Policy of the page blocks.
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      // On a busy machine it would report how long plugins ran.
      checks: { bundlerTimings: false },
      // Libraries mark files for React Server Components, which the console does not use.
      onLog: (level, log, handle) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
      },
    },
  },
});
