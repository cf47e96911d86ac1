import { type EntityManager, MoreThan } from "typeorm";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { AccountEntity } from "./entities.js";

// Raw SQL: every sign-in of a person and every read of a public site runs it.

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

/** Returns the IDs of up to `limit` accounts after one, in ascending order. @param operator has the operator scope */
export async function findAccountIds(
  operator: EntityManager,
  after: number,
  limit: number,
): Promise<readonly number[]> {
  const accounts = await operator.find(AccountEntity, {
    select: { id: true },
    where: { id: MoreThan(after) },
    order: { id: "ASC" },
    take: limit,
  });
  return accounts.map(({ id }) => id);
}

/** Returns the ID of the key that currently encrypts the account's tokens. */
export async function findTokenKey(db: TenantDb): Promise<string> {
  const account = await db
    .manager("read", "account_token_key")
    .findOneBy(AccountEntity, { id: db.accountId });
  if (!account) throw new Error(`Account ${db.accountId} no longer exists.`);
  return account.tokenKeyId;
}
