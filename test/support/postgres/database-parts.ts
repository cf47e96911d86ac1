import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";

/** The parts of a database URL. */
export interface DatabaseParts {
  /** A host name, an address, or the directory of a Unix socket. */
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
