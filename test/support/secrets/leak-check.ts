import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { readLogs, secretsOf, WHOLE_RUN } from "./run-record.js";
import { type Finding, findSecrets } from "./secret-search.js";
import { searchDatabase, searchFiles } from "./stored-secrets.js";

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
