import { expect, test } from "vitest";
import { listFiles, readSource } from "../../support/repository/source-files.js";

/** Runs a statement with SQL by hand, through the service's own runner or the entity manager. */
const RUNS = /\b(?:db|raw|operator|owner|transaction|database)\.run[<(]|\bmanager\.query\(/g;

/** What runs statements for all others. */
const RUNNER = [
  "src/persistence/database/database.ts",
  "src/persistence/database/open-transaction.ts",
  "src/persistence/shared/entity-manager.ts",
  "src/persistence/shared/tenant-db.ts",
];

/** How often the files of a folder run SQL by hand (docs/ARCHITECTURE.md, "Entity manager or SQL"). Lower a number after a removal. */
const ALLOWED: Readonly<Record<string, number>> = {
  "src/persistence/accounts": 5,
  "src/persistence/audit": 10,
  "src/persistence/authentication": 5,
  "src/persistence/data-sources": 2,
  // With the migrator.
  "src/persistence/database": 6,
  "src/persistence/requests": 5,
  "src/persistence/session-templates": 3,
  "src/persistence/shared": 14,
  "src/persistence/site-configs": 3,
  "src/persistence/transfer": 3,
  // With the setting of bulk changes, their groups with the sizes of their properties, and the processes that do not check schemas.
  "src/persistence/user-groups": 25,
  "src/persistence/webhooks": 14,
  // The readiness check.
  "src/services": 1,
};

const files = listFiles("src")
  .filter((path) => !RUNNER.includes(path))
  .map((path) => ({ path, text: readSource(path).text }))
  .map((file) => ({ ...file, runs: file.text.match(RUNS)?.length ?? 0 }))
  .filter(({ runs }) => runs > 0);

test("no folder runs SQL by hand more often than allowed", () => {
  const found: Record<string, number> = {};
  for (const { path, runs } of files) {
    const folder = path.split("/").slice(0, -1).join("/");
    found[folder] = (found[folder] ?? 0) + runs;
  }
  expect(found).toEqual(ALLOWED);
});

test("every file with SQL by hand has the reason", () => {
  const silent = files.filter(({ text }) => !/^ *\/\/ Raw SQL[: ]/m.test(text)).map(({ path }) => path);
  expect(silent).toEqual([]);
});

test("every statement of the service is seen", () => {
  const others = listFiles("src/persistence")
    .filter((path) => !RUNNER.includes(path))
    .flatMap((path) => readSource(path).text.match(/\w+\.run[<(]/g) ?? [])
    .filter((run) => !run.match(RUNS));
  expect(others).toEqual([]);
});
