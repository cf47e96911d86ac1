import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";

/** The test run's database as a DATABASE_URL. */
export function databaseUrl(
  target: DatabaseOptions["target"],
  changes: { readonly password?: string; readonly database?: string } = {},
): string {
  if ("url" in target) {
    const url = new URL(target.url);
    if (changes.password !== undefined) url.password = changes.password;
    if (changes.database !== undefined) url.pathname = `/${changes.database}`;
    return url.href;
  }
  const { user, password, database, host, port } = { ...target, ...changes };
  // Unix socket: the URL has no host, only the socket's directory.
  return `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
