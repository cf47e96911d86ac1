import type { Queryable, Statement } from "../shared/statement.js";

// Raw SQL: single values, two of them computed or read before the account ID is known.

const BY_NAME: Statement = {
  name: "account_by_name",
  isLookup: true,
  access: "read",
  text: `SELECT id AS "accountId", token_key_id AS "tokenKeyId" FROM account WHERE name = $1`,
};

export async function findAccount(
  db: Queryable,
  name: string,
): Promise<{ readonly accountId: number; readonly tokenKeyId: string } | null> {
  const rows = await db.run<{ accountId: number; tokenKeyId: string }>(BY_NAME, [name]);
  return rows[0] ?? null;
}

const IDS: Statement = {
  name: "account_ids",
  access: "read",
  text: "SELECT id FROM account WHERE id > $1 ORDER BY id LIMIT $2",
};

/** Returns the IDs of up to `limit` accounts after one, in ascending order. @param operator has the operator scope */
export async function findAccountIds(
  operator: Queryable,
  after: number,
  limit: number,
): Promise<readonly number[]> {
  return (await operator.run<{ id: number }>(IDS, [after, limit])).map(({ id }) => id);
}

const TOKEN_KEY: Statement = {
  name: "account_token_key",
  access: "read",
  text: `SELECT token_key_id AS "tokenKeyId" FROM account WHERE id = $1`,
};

/** Returns the ID of the key that currently encrypts the account's tokens. */
export async function findTokenKey(db: Queryable, accountId: number): Promise<string> {
  const [row] = await db.run<{ tokenKeyId: string }>(TOKEN_KEY, [accountId]);
  if (!row) throw new Error(`Account ${accountId} no longer exists.`);
  return row.tokenKeyId;
}
