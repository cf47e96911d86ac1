import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    // Without it the tests get a second copy of graphql, whose types are strangers to the first one's.
    alias: [
      { find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve("graphql/index.js")) },
      {
        find: "@jest/globals",
        replacement: fileURLToPath(new URL("test/support/jest-globals.ts", import.meta.url)),
      },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/postgres-setup.ts"],
    server: { deps: { inline: ["@apollo/server-integration-testsuite"] } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // At its end the run searches what it has logged and stored.
    teardownTimeout: 120_000,
    maxWorkers: 2,
  },
});
