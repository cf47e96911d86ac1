import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, escapeIdentifier } from "pg";
import { clientOptions, type DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { readLogs, secretsOf, WHOLE_RUN } from "./run-record.js";
import { type Finding, findSecrets, findSecretsInBytes, type KnownSecret } from "./secret-search.js";

const ROWS_AT_ONCE = 5000;

/** Searches every row of a database for secrets. @param owner a superuser, who sees all rows */
export async function searchDatabase(
  owner: DatabaseOptions["target"],
  known: readonly KnownSecret[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const { table, text } of dumpDatabase(owner)) {
    const found = findSecrets(text, known);
    findings.push(...found.map(({ what, excerpt }) => ({ what, excerpt: `table ${table}: ${excerpt}` })));
  }
  return findings;
}

/** All rows of a database as text, some thousand of a table at a time; bytes as hex. */
export async function* dumpDatabase(
  owner: DatabaseOptions["target"],
): AsyncGenerator<{ readonly table: string; readonly text: string }> {
  const client = new Client(clientOptions(owner));
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(
      `SELECT nspname AS schema, relname AS name FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
       WHERE relkind IN ('r', 'm') AND nspname NOT IN ('pg_catalog', 'information_schema')
         AND (pg_relation_size(pg_class.oid) > 0 OR EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'))`,
    );
    await client.query("BEGIN");
    for (const { schema, name } of tables) {
      const table = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
      await client.query(`DECLARE dump CURSOR FOR SELECT row::text AS text FROM ${table} AS row`);
      for (;;) {
        const { rows } = await client.query<{ text: string }>(`FETCH ${ROWS_AT_ONCE} FROM dump`);
        if (rows.length === 0) break;
        yield { table: name, text: rows.map(({ text }) => text).join("\n") };
      }
      await client.query("CLOSE dump");
    }
  } finally {
    await client.end();
  }
}

/**
 * Searches all files below a directory for secrets: PostgreSQL's also contain dead rows and its write-ahead log.
 * @param except names of files to skip
 */
export async function searchFiles(
  directory: string,
  known: readonly KnownSecret[],
  except: readonly string[] = [],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || except.includes(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    // A running server removes files.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    const found = findSecretsInBytes(bytes, known);
    findings.push(...found.map(({ what, excerpt }) => ({ what, excerpt: `file ${path}: ${excerpt}` })));
  }
  return findings;
}

/** Maximum number of findings to report one by one. */
const SHOWN = 20;

/** Throws an error that lists the findings. */
export function expectNoSecrets(findings: readonly Finding[], where: string): void {
  if (findings.length === 0) return;
  const lines = findings.slice(0, SHOWN).map(({ what, excerpt }) => `  ${what}: ${excerpt}`);
  const more = findings.length > SHOWN ? [`  and ${findings.length - SHOWN} more`] : [];
  throw new Error([`Secrets stand in ${where}:`, ...lines, ...more].join("\n"));
}

/** Searches everything that a test run logged or stored for secrets. */
export async function searchRun(
  record: string,
  databases: readonly DatabaseOptions["target"][],
  dataDirectory: string | undefined,
): Promise<Finding[]> {
  const known = secretsOf(record, WHOLE_RUN);
  const logged = readLogs(record).flatMap(({ part, text }) =>
    findSecrets(text, secretsOf(record, part)).map(({ what, excerpt }) => ({
      what,
      excerpt: `log of ${part}: ${excerpt}`,
    })),
  );
  const stored = await Promise.all(databases.map((database) => searchDatabase(database, known)));
  const written = dataDirectory === undefined ? [] : await searchFiles(dataDirectory, known);
  return [...logged, ...stored.flat(), ...written];
}
