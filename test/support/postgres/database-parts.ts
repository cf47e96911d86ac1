import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";

/** A database's address and account, one by one. */
export interface DatabaseParts {
  /** A name or address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export function partsOf(target: DatabaseOptions["target"]): DatabaseParts {
  if (!("url" in target)) return target;
  const url = new URL(target.url);
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
}
