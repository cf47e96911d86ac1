import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { SlowFirst } from "./test/support/repository/slow-first.js";
import { SummaryReporter } from "./test/support/repository/summary-reporter.js";

/** Where to write a report as JSON, beside the summary. */
const report = process.env["TEST_REPORT"];

/** Real processes and browsers also fail when the machine is busy: where a report is written, their tests have a second try. */
const real = { retry: report === undefined ? 0 : 1 };

/** Starts the browser that all tests of a project share. */
const CHROMIUM = "test/support/pages/chromium-setup.ts";

/** The tests of one folder of `test`. */
function project(
  name: string,
  options: NonNullable<TestProjectInlineConfiguration["test"]> = {},
): TestProjectInlineConfiguration {
  return {
    resolve: {
      // The sources of our packages, as in tsconfig.json.
      tsconfigPaths: true,
      // Without it the tests get a second copy of graphql, whose types are strangers to the first one's.
      alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve("graphql/index.js")) }],
    },
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      setupFiles: ["reflect-metadata"],
      // Limits against hanging, not expectations: a busy machine takes twenty times as long as an idle one.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000, interval: 20 } },
      ...options,
    },
  };
}

export default defineConfig({
  test: {
    // Sources are compiled once for all runs: a quarter of the CPU time of a test file.
    experimental: { fsModuleCache: true },
    // Here and not in the projects, each of which would start a PostgreSQL server of its own.
    globalSetup: ["test/support/postgres/postgres-setup.ts"],
    // The run searches its logs and databases for secrets when it ends.
    teardownTimeout: 120_000,
    // One more than cores: some tests wait for timers, or for statistics of PostgreSQL.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // Failures in the report show the values that were compared.
    chaiConfig: { truncateThreshold: 2_000 },
    reporters:
      report === undefined
        ? ["dot", new SummaryReporter()]
        : ["dot", new SummaryReporter(), ["json", { outputFile: report }]],
    projects: [
      // A worker imports the service once for all of these files, which takes longer than most of them.
      project("unit", {
        isolate: false,
        include: ["test/unit/**/*.test.ts", "packages/site-config/test/**/*.test.ts"],
      }),
      project("api", { isolate: false }),
      project("smoke", { globalSetup: [CHROMIUM] }),
      project("process", { ...real, isolate: false }),
      project("browser", { ...real, isolate: false, globalSetup: [CHROMIUM] }),
      project("operations", { ...real, isolate: false, globalSetup: [CHROMIUM] }),
      // Each file in a process of its own: some measure their CPU time or memory.
      project("slow", real),
      // A cluster of its own for each file.
      project("citus", real),
    ],
  },
});
