import { randomBytes } from "node:crypto";
import { escapeIdentifier } from "pg";
import { inject } from "vitest";
import type { DatabaseOptions } from "../../src/persistence/database.js";
import { administer, inDatabase } from "./postgres-setup.js";

export interface TestDatabase {
  readonly target: DatabaseOptions["target"];
  drop(): Promise<void>;
}

/** Makes a database: a copy of the migrated template, or an empty one. */
export async function createTestDatabase(kind: "migrated" | "empty" = "migrated"): Promise<TestDatabase> {
  const { server, template } = inject("postgres");
  const name = `user_groups_test_${randomBytes(6).toString("hex")}`;
  const source = kind === "migrated" ? template : "template0";
  await administer(server, `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(source)}`);
  return {
    target: inDatabase(server, name),
    drop: () => administer(server, `DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`),
  };
}
