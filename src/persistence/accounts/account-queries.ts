import type { Queryable, Statement } from "../shared/statement.js";

// Statements: single values, two of them computed or read before an account id is known.

const BY_NAME: Statement = {
  name: "account_by_name",
  access: "read",
  text: `SELECT id AS "accountId", token_key_id AS "tokenKeyId" FROM account WHERE name = $1`,
};

/** The account with this name, and the key that its tokens are encrypted under; or null. */
export async function findAccount(
  db: Queryable,
  name: string,
): Promise<{ readonly accountId: number; readonly tokenKeyId: string } | null> {
  const rows = await db.run<{ accountId: number; tokenKeyId: string }>(BY_NAME, [name]);
  return rows[0] ?? null;
}

const TOKEN_KEY: Statement = {
  name: "account_token_key",
  access: "read",
  text: `SELECT token_key_id AS "tokenKeyId" FROM account WHERE id = $1`,
};

/** The key that the tokens of an account are encrypted under at this moment. */
export async function findTokenKey(db: Queryable, accountId: number): Promise<string> {
  const [row] = await db.run<{ tokenKeyId: string }>(TOKEN_KEY, [accountId]);
  if (!row) throw accountGone(accountId);
  return row.tokenKeyId;
}

const ORIGIN: Statement = {
  name: "account_origin",
  access: "read",
  text: `SELECT concat_ws(' ', current_database(), id, extract(epoch FROM created_at)) AS origin FROM account WHERE id = $1`,
};

/** A text that tells an account apart from those of other installations. */
export async function findAccountOrigin(db: Queryable, accountId: number): Promise<string> {
  const [row] = await db.run<{ origin: string }>(ORIGIN, [accountId]);
  if (!row) throw accountGone(accountId);
  return row.origin;
}

function accountGone(accountId: number): Error {
  return new Error(`There is no account ${accountId} any more.`);
}
