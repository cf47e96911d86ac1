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
  },
});
