import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { errorCode, OperatorError } from "../../domain/shared/operator-error.js";
import { AccountEntity } from "../accounts/entities.js";
import type { Queryable } from "../shared/statement.js";
import type { Database } from "./database.js";

// Raw SQL: settings of the server.

const OLDEST_MAJOR = 14;

/**
 * Checks that the server is a supported primary.
 * @returns its version, e.g. "18.4"
 * @throws OperatorError when it is too old, a read-only standby, or its encoding is not UTF-8
 */
export async function checkServer(db: Queryable): Promise<string> {
  const [server] = await db.run<{ number: number; version: string; encoding: string; readOnly: boolean }>(
    {
      name: "server_check",
      access: "read",
      text: `SELECT current_setting('server_version_num')::integer AS number,
        split_part(current_setting('server_version'), ' ', 1) AS version,
        current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS "readOnly"`,
    },
    [],
  );
  if (!server) throw new Error("PostgreSQL returned no server information.");
  if (server.number < OLDEST_MAJOR * 10_000) {
    throw new OperatorError(
      `PostgreSQL ${server.version} is not supported. Use PostgreSQL ${OLDEST_MAJOR} or later.`,
    );
  }
  if (server.encoding !== "UTF8") {
    throw new OperatorError(
      `The database in DATABASE_URL has the encoding ${server.encoding}. Use a database with the encoding UTF8.`,
    );
  }
  if (server.readOnly)
    throw new OperatorError("DATABASE_URL points to a read-only standby. Set it to the primary.");
  return server.version;
}

/** @throws OperatorError when a pooler keeps no prepared statements: the server then knows one by the name that the service has given it */
export async function checkPooler(db: Queryable): Promise<void> {
  const name = "pooler_check";
  const text = "SELECT FROM pg_prepared_statements WHERE name = $1";
  const found = await db.run({ name, access: "read", text }, [name]).catch((error: unknown) => {
    // An earlier process has left one of this name on the pooler's connection.
    if (errorCode(error) === "42P05") return [name];
    throw error;
  });
  if (found.length === 0) return;
  throw new OperatorError(
    "DATABASE_POOLED is `prepared`, but DATABASE_URL does not point to a pooler that keeps prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements above 0, or set DATABASE_POOLED=true.",
  );
}

/** @throws OperatorError when the vault lacks a key that tokens in the database are encrypted with */
export async function checkTokenKeys(db: Database, vault: TokenVault): Promise<void> {
  const rows = await db
    .manager("read", "token_keys")
    .createQueryBuilder(AccountEntity, "account")
    .select("account.tokenKeyId", "keyId")
    .distinct()
    .getRawMany<{ keyId: string }>();
  const missing = rows.map(({ keyId }) => keyId).filter((keyId) => !vault.hasKey(keyId));
  if (missing.length === 0) return;
  throw new OperatorError(
    `The tokens in this database are encrypted with other keys (IDs ${missing.join(", ")}). Add the keys to ENCRYPTION_KEYS, or use the DATA_DIR that contains them.`,
  );
}
