import type { TenantKey } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { StoredTokenText } from "../../domain/accounts/token-vault.js";
import type { Properties } from "../../domain/user-groups/properties.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { HEX_PREFIX, readTime } from "../shared/value-parsers.js";

const COLUMNS = [
  "id",
  "provided_id",
  "name",
  "token_key_id",
  "token_ciphertext",
  "token_lookup",
  "version",
  "created_at",
  "updated_at",
  "properties",
];

/** An unparsed row of `USER_GROUP_COLUMNS`, followed by the statement's other columns. */
export type UserGroupRow<Others extends readonly unknown[] = []> = readonly [
  id: string,
  providedId: string,
  name: string,
  tokenKeyId: string,
  tokenCiphertext: string,
  tokenLookup: string,
  version: string,
  createdAt: string,
  updatedAt: string,
  properties: string | null,
  ...others: Others,
];

/** The columns that a statement with `rows: "text"` selects for a group. */
export const USER_GROUP_COLUMNS = COLUMNS.join(", ");

/** The same columns of one of several tables. */
export function userGroupColumns(table: string): string {
  return COLUMNS.map((column) => `${table}.${column}`).join(", ");
}

/** A group that parses each value on access: a reply needs few values of most groups. */
class StoredUserGroup implements UserGroup {
  readonly accountId: number;
  readonly environment: Environment;
  readonly #row: UserGroupRow<unknown[]>;

  constructor({ accountId, environment }: TenantKey, row: UserGroupRow<unknown[]>) {
    this.accountId = accountId;
    this.environment = environment;
    this.#row = row;
  }

  get id(): number {
    return Number(this.#row[0]);
  }

  get providedId(): string {
    return this.#row[1];
  }

  get name(): string {
    return this.#row[2];
  }

  get storedToken(): StoredTokenText {
    const [, , , keyId, ciphertext, lookup] = this.#row;
    return { keyId, hex: ciphertext.slice(HEX_PREFIX.length) + lookup.slice(HEX_PREFIX.length) };
  }

  get version(): number {
    return Number(this.#row[6]);
  }

  get createdAt(): Date {
    return readTime(this.#row[7]);
  }

  get updatedAt(): Date {
    return readTime(this.#row[8]);
  }

  get properties(): Properties {
    return this.#row[9];
  }
}

/** Returns one of the tenant's groups. A transaction records its ID. */
export function readUserGroup(db: TenantDb, row: UserGroupRow<unknown[]>): UserGroup {
  const group = new StoredUserGroup(db, row);
  db.raw.userGroupIds?.add(group.id);
  return group;
}

/** Runs a statement that returns groups only. */
export async function queryUserGroups(
  db: TenantDb,
  statement: Statement,
  values: readonly unknown[],
): Promise<UserGroup[]> {
  const rows = await db.run<UserGroupRow>(statement, values);
  return rows.map((row) => readUserGroup(db, row));
}

/** Returns a row's values after those of the group. */
export function valuesAfterGroup<Others extends readonly unknown[]>(row: UserGroupRow<Others>): Others {
  const [, , , , , , , , , , ...others] = row;
  return others;
}
