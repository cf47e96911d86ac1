import type { Tenant } from "../domain/caller.js";
import type { Environment } from "../domain/environment.js";
import type { Properties } from "../domain/properties.js";
import type { SealedToken } from "../domain/token-vault.js";
import type { UserGroup } from "../domain/user-group.js";
import { readBytes, readTime } from "./value-parsers.js";

/** The columns a group is read from, but for those of its tenant; the hot statements select just these, as text. */
export const USER_GROUP_COLUMNS =
  "id, provided_id, name, token_key_id, token_ciphertext, properties, version, created_at, updated_at";

/** The values of those columns. */
export type UserGroupRow = readonly [
  id: string,
  providedId: string,
  name: string,
  tokenKeyId: string,
  tokenCiphertext: string,
  properties: string | null,
  version: string,
  createdAt: string,
  updatedAt: string,
];

/** A group that reads each value of its row when it is asked for: of a long list, few are. */
class StoredUserGroup implements UserGroup {
  readonly accountId: number;
  readonly environment: Environment;
  readonly #row: UserGroupRow;

  constructor({ accountId, environment }: Tenant, row: UserGroupRow) {
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

  get sealedToken(): SealedToken {
    return { keyId: this.#row[3], ciphertext: readBytes(this.#row[4]) };
  }

  get properties(): Properties {
    const [, , , , , text] = this.#row;
    const properties: Properties = text === null ? null : JSON.parse(text);
    return properties;
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
}

/** The group of a row that was found among a tenant's. */
export function toUserGroup(tenant: Tenant, row: UserGroupRow): UserGroup {
  return new StoredUserGroup(tenant, row);
}
