import { ENVIRONMENTS, type Environment } from "../domain/environment.js";
import type { Properties } from "../domain/properties.js";
import type { SealedToken } from "../domain/token-vault.js";
import type { UserGroup } from "../domain/user-group.js";
import { readBytes, readTime } from "./value-parsers.js";

/** The columns a group is read from; the hot statements select just these, as text. */
export const USER_GROUP_COLUMNS = `account_id, environment, id, provided_id, name, token_key_id, token_ciphertext,
  properties, version, created_at, updated_at`;

/** The values of those columns. */
export type UserGroupRow = readonly [
  accountId: string,
  environment: string,
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
  readonly #row: UserGroupRow;

  constructor(row: UserGroupRow) {
    this.#row = row;
  }

  get accountId(): number {
    return Number(this.#row[0]);
  }

  get environment(): Environment {
    const environment = ENVIRONMENTS.find((known) => known === this.#row[1]);
    if (environment) return environment;
    throw new TypeError("The database holds an environment that is none.");
  }

  get id(): number {
    return Number(this.#row[2]);
  }

  get providedId(): string {
    return this.#row[3];
  }

  get name(): string {
    return this.#row[4];
  }

  get sealedToken(): SealedToken {
    return { keyId: this.#row[5], ciphertext: readBytes(this.#row[6]) };
  }

  get properties(): Properties {
    const [, , , , , , , text] = this.#row;
    const properties: Properties = text === null ? null : JSON.parse(text);
    return properties;
  }

  get version(): number {
    return Number(this.#row[8]);
  }

  get createdAt(): Date {
    return readTime(this.#row[9]);
  }

  get updatedAt(): Date {
    return readTime(this.#row[10]);
  }
}

export function toUserGroup(row: UserGroupRow): UserGroup {
  return new StoredUserGroup(row);
}
