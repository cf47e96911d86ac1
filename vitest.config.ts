import { fileURLToPath, pathToFileURL } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { compileService } from "./test/support/compiled-service.js";

/** The module that starts a worker thread. */
const STARTS_WORKER = "/src/services/site-configs/thread.ts";

/** Node runs no TypeScript: has the sources under test start the worker thread from its compiled file. */
const compiledWorker: Plugin = {
  name: "compiled-worker",
  async transform(code, id) {
    if (!id.endsWith(STARTS_WORKER)) return null;
    const url = pathToFileURL(`${await compileService()}${STARTS_WORKER}`);
    return { code: code.replace("import.meta.url", JSON.stringify(url)), map: null };
  },
};

/** Tests that start processes, browsers or servers, or replace parts of a library. */
const PROCESS_TESTS = ["test/{process,browser,operations,slow}/**/*.test.ts"];

export default defineConfig({
  plugins: [compiledWorker],
  resolve: {
    // Without it the tests get a second copy of graphql, whose types are strangers to the first one's.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve("graphql/index.js")) }],
  },
  test: {
    setupFiles: ["reflect-metadata"],
    globalSetup: ["test/support/postgres-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // At its end the run searches what it has logged and stored.
    teardownTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        // Importing the service takes longer than most of these files: a worker does it once for all of them.
        test: { name: "in-process", include: ["test/**/*.test.ts"], exclude: PROCESS_TESTS, isolate: false },
      },
      { extends: true, test: { name: "process", include: PROCESS_TESTS } },
    ],
  },
});
