import { randomBytes } from "node:crypto";
import { escapeIdentifier } from "pg";
import { inject } from "vitest";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { currentSecrets } from "../secrets/run-record.js";
import { expectNoSecrets, searchDatabase } from "../secrets/stored-secrets.js";
import { administer, asRole, inDatabase } from "./postgres-setup.js";

export interface TestDatabase {
  /** As the application role; for an empty database, as its owner. */
  readonly target: DatabaseOptions["target"];
  /** As a superuser, who bypasses row-level security. */
  readonly owner: DatabaseOptions["target"];
  /** @throws Error when a secret is stored in it */
  drop(): Promise<void>;
}

/** Creates a database: a copy of the migrated template, or an empty one. */
export async function createTestDatabase(kind: "migrated" | "empty" = "migrated"): Promise<TestDatabase> {
  const { server, workers, template, strategy, runtime } = inject("postgres");
  const nodes = kind === "migrated" ? [server, ...workers] : [server];
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  const source = kind === "migrated" ? template : "template0";
  for (const node of nodes) {
    await administer(
      node,
      `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(source)} ${strategy}`,
    );
  }
  if (workers.length > 0) {
    // A setting of a database is not copied.
    await administer(
      server,
      `ALTER DATABASE ${escapeIdentifier(name)} SET citus.propagate_set_commands = 'local'`,
    );
  }
  const owner = inDatabase(server, name);
  return {
    target: kind === "migrated" ? asRole(owner, runtime) : owner,
    owner,
    async drop() {
      const findings = await searchDatabase(owner, currentSecrets());
      for (const node of nodes)
        await administer(node, `DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
      expectNoSecrets(findings, "a test's database");
    },
  };
}
