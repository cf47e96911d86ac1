import { defineConfig } from "vite";

export default defineConfig({
  // The service may stand behind a path of a proxy.
  base: "./",
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    target: "es2022",
    // No data: addresses, which the page's policy does not let in.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
