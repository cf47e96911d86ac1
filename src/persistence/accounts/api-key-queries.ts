import { Any, type EntityManager, IsNull, Or, Raw } from "typeorm";
import {
  API_KEY_ORDER,
  type ApiKey,
  type ApiKeyFilter,
  type ApiKeySortField,
  type ListedApiKey,
} from "../../domain/accounts/api-key.js";
import type { Scope, TenantKey } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import { insertEntity } from "../shared/entity-manager.js";
import { escapeLike } from "../shared/keyset.js";
import { record } from "../shared/record.js";
import { defineList } from "../shared/select-page.js";
import type { Queryable, Statement } from "../shared/statement.js";
import { tableOf } from "../shared/table.js";
import type { TenantTransaction } from "../shared/tenant-db.js";
import { AccountEntity, ApiKeyEntity } from "./entities.js";

// Raw SQL: every request runs the lookup, times of many keys are saved at once, and TypeORM has no notifications.

const BY_HASH: Statement = {
  name: "api_key_by_hash",
  isLookup: true,
  access: "read",
  text: `SELECT api_key.id AS "keyId", api_key.name AS "keyName", api_key.environment, api_key.scope, account.id AS "accountId",
      account.name AS "accountName", account.token_key_id AS "tokenKeyId", api_key.expires_at AS "expiresAt"
    FROM api_key JOIN account ON account.id = api_key.account_id
    WHERE api_key.account_id = $1 AND api_key.hash = $2
      AND api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now())`,
};

const TOUCH: Statement = {
  name: "api_keys_touch",
  access: "write",
  text: `UPDATE api_key SET last_used_at = used.at
    FROM unnest($2::bigint[], $3::timestamptz[]) AS used (id, at)
    WHERE api_key.account_id = $1 AND api_key.id = used.id
      AND (api_key.last_used_at IS NULL OR api_key.last_used_at < used.at)`,
};

/** A valid API key with its account. */
export interface ActiveKey {
  readonly keyId: number;
  readonly keyName: string;
  readonly environment: Environment;
  readonly scope: Scope;
  readonly accountId: number;
  readonly accountName: string;
  readonly tokenKeyId: string;
  /** Null if the key does not expire. */
  readonly expiresAt: Date | null;
}

/** Finds a key by hash; null when it is unknown, revoked or expired. */
export async function findActiveKey(
  db: Queryable,
  accountId: number,
  hash: Buffer,
): Promise<ActiveKey | null> {
  const rows = await db.run<ActiveKey>(BY_HASH, [accountId, hash]);
  return rows[0] ?? null;
}

/** Returns the IDs of the keys of these accounts that are still valid. @param operator has the operator scope */
export async function findActiveKeyIds(
  operator: EntityManager,
  accountIds: readonly number[],
  keyIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const keys = await operator.find(ApiKeyEntity, {
    select: { id: true },
    where: {
      accountId: Any([...accountIds]),
      id: Any([...keyIds]),
      revokedAt: IsNull(),
      expiresAt: Or(
        IsNull(),
        Raw((column) => `${column} > now()`),
      ),
    },
  });
  return new Set(keys.map(({ id }) => id));
}

/**
 * Records when keys of an account were last used; never replaces a later time. Requires the operator scope.
 * @param uses by key: Unix times in milliseconds
 */
export async function touchApiKeys(
  db: Queryable,
  accountId: number,
  uses: ReadonlyMap<number, number>,
): Promise<void> {
  await db.run(TOUCH, [accountId, [...uses.keys()], [...uses.values()].map((at) => new Date(at))]);
}

/** API keys, including revoked and expired ones. */
export const API_KEY_LIST = defineList<ApiKey, ApiKey, ApiKeyFilter, ApiKeySortField>({
  table: tableOf(ApiKeyEntity, ["hash", "sessionsValidFrom"]),
  order: API_KEY_ORDER,
  toItem: (row) => row,
  conditions: ({ scopes, isActive, nameContains }, values) => [
    scopes && `scope::text = ANY (${values.add(scopes)}::text[])`,
    isActive !== undefined &&
      `(revoked_at IS NULL AND coalesce(expires_at > now(), true)) = ${values.add(isActive)}::boolean`,
    nameContains !== undefined && `name ILIKE ${values.add(`%${escapeLike(nameContains)}%`)}`,
  ],
});

// Not by a trigger, which Citus would run on a worker; listeners are connected to the coordinator.
const NOTIFY: Statement = {
  name: "api_key_revoked_notify",
  access: "write",
  text: "SELECT pg_notify('api_key_revoked', $1)",
};

/** Lists the keys of all accounts, or of the named one, oldest first. @param operator has the operator scope */
export async function listAccountKeys(
  operator: EntityManager,
  accountName?: string,
): Promise<ListedApiKey[]> {
  const where = accountName === undefined ? {} : { name: accountName };
  const accounts = await operator.findBy(AccountEntity, where);
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  const keys = await operator.find(ApiKeyEntity, {
    where: { accountId: Any([...names.keys()]) },
    order: { id: "ASC" },
  });
  return keys.map((key) => ({ ...toApiKey(key), accountName: names.get(key.accountId) ?? "" }));
}

/** Revokes one of the tenant's keys and notifies all processes; a revoked one stays as it is. @returns null when the key does not exist */
export async function revokeApiKey(transaction: TenantTransaction, id: number): Promise<ApiKey | null> {
  const manager = transaction.manager("write", "api_key_revoke");
  const where = { ...transaction.key, id };
  const key = await manager.findOne(ApiKeyEntity, { where, lock: { mode: "for_no_key_update" } });
  if (!key) return null;
  if (key.revokedAt === null) {
    await manager.update(ApiKeyEntity, where, { revokedAt: () => "now()" });
    await record(transaction, { action: "api_key.revoked", subjectId: id, subjectName: key.name });
  }
  // In the transaction that revokes: every process gets it before the notification of any change that is committed later.
  await transaction.raw.run(NOTIFY, [String(id)]);
  return toApiKey(await manager.findOneByOrFail(ApiKeyEntity, where));
}

/** Finds the tenant of an active key by ID alone; requires the operator scope. */
export async function findTenantOfKey(operator: EntityManager, id: number): Promise<TenantKey | null> {
  const select = { accountId: true, environment: true } as const;
  return operator.findOne(ApiKeyEntity, { select, where: { id, revokedAt: IsNull() } });
}

/** Inserts an API key. @param key with the hash of its secret */
export async function insertApiKey(
  transaction: TenantTransaction,
  key: Pick<ApiKeyEntity, "scope" | "name" | "hash" | "hint" | "expiresAt">,
): Promise<ApiKey> {
  const manager = transaction.manager("write", "api_key_insert");
  const created = await insertEntity(manager, ApiKeyEntity, { ...transaction.key, ...key });
  await record(transaction, { action: "api_key.created", subjectId: created.id, subjectName: key.name });
  return toApiKey(created);
}

function toApiKey({ hash, sessionsValidFrom, ...key }: ApiKeyEntity): ApiKey {
  return key;
}
