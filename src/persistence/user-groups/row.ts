import type { TenantKey } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { StoredTokenText } from "../../domain/accounts/token-vault.js";
import type { Properties } from "../../domain/user-groups/properties.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import { positionsOf, type TextRow, tableOf } from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { HEX_PREFIX, readTime } from "../shared/value-parsers.js";
import { UserGroupEntity } from "./entity.js";

// Raw SQL: the hottest path reads unparsed rows.

/** The table of groups. */
export const USER_GROUPS = tableOf(UserGroupEntity, [], {
  tokenCiphertext: ["token"],
  tokenLookup: ["token"],
  properties: ["properties", "propertyErrors", "sessionClaims"],
});

/** The properties of a group's row, in order. */
const PROPERTIES = [
  "id",
  "providedId",
  "name",
  "tokenKeyId",
  "tokenCiphertext",
  "tokenLookup",
  "version",
  "createdAt",
  "updatedAt",
  "properties",
] as const satisfies readonly (keyof UserGroupEntity)[];

/** The position of each property in a row. */
export const AT = positionsOf(PROPERTIES);

const COLUMNS = PROPERTIES.map(USER_GROUPS.column);

/** An unparsed row of `USER_GROUP_COLUMNS`, followed by the statement's other columns. */
export type UserGroupRow<Others extends readonly unknown[] = []> = readonly [
  ...TextRow<UserGroupEntity, typeof PROPERTIES>,
  ...Others,
];

/** The columns that a statement with `rows: "text"` selects for a group. */
export const USER_GROUP_COLUMNS = COLUMNS.join(", ");

/** The same columns, with NULL for unused ones. */
export function usedColumns(unused: readonly string[]): string {
  return PROPERTIES.map((each) => (unused.includes(each) ? "NULL" : USER_GROUPS.column(each))).join(", ");
}

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
    return Number(this.#row[AT.id]);
  }

  get providedId(): string {
    return this.#row[AT.providedId];
  }

  get name(): string {
    return this.#row[AT.name];
  }

  get storedToken(): StoredTokenText {
    const ciphertext = this.#row[AT.tokenCiphertext];
    const lookup = this.#row[AT.tokenLookup];
    const hex = ciphertext.slice(HEX_PREFIX.length) + lookup.slice(HEX_PREFIX.length);
    return { keyId: this.#row[AT.tokenKeyId], hex };
  }

  get version(): number {
    return Number(this.#row[AT.version]);
  }

  get createdAt(): Date {
    return readTime(this.#row[AT.createdAt]);
  }

  get updatedAt(): Date {
    return readTime(this.#row[AT.updatedAt]);
  }

  get properties(): Properties {
    return this.#row[AT.properties];
  }
}

/** Returns one of the tenant's groups. A transaction records its ID. */
export function readUserGroup(db: TenantDb, row: UserGroupRow<unknown[]>): UserGroup {
  const group = new StoredUserGroup(db, row);
  db.raw.userGroupIds?.add(group.id);
  return group;
}

/** Runs a statement that returns at most one group. */
export async function queryUserGroup(
  db: TenantDb,
  statement: Statement,
  values: readonly unknown[],
): Promise<UserGroup | null> {
  const [row] = await db.run<UserGroupRow>(statement, values);
  return row ? readUserGroup(db, row) : null;
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
export function valuesAfterGroup<Others extends readonly unknown[]>(row: UserGroupRow<Others>): Others;
export function valuesAfterGroup(row: readonly unknown[]): readonly unknown[] {
  return row.slice(PROPERTIES.length);
}

/** A reference to a group, with the lookup hashes of a token instead of the token. */
export type StoredRef =
  | Exclude<UserGroupRef, { by: "token" }>
  | { readonly by: "token"; readonly lookups: readonly Buffer[] };

/** SQL condition by kind of reference. */
export const REF_CONDITIONS: Readonly<Record<StoredRef["by"], string>> = {
  id: "id = $3",
  providedId: "provided_id = $3",
  token: "token_lookup = ANY ($3::bytea[])",
};

/** Builds a statement for each kind of reference. */
export function statementsByRef(
  build: (by: StoredRef["by"]) => Statement,
): Readonly<Record<StoredRef["by"], Statement>> {
  return { id: build("id"), providedId: build("providedId"), token: build("token") };
}

/** Returns the value of the condition's placeholder. */
export function refValue(ref: StoredRef): number | string | readonly Buffer[] {
  if (ref.by === "id") return ref.id;
  if (ref.by === "providedId") return ref.providedId;
  return ref.lookups;
}
