import type { TenantKey } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { StoredTokenText } from "../../domain/accounts/token-vault.js";
import type { Properties } from "../../domain/user-groups/properties.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { HEX_PREFIX, readTime } from "../shared/value-parsers.js";

// The driver needs longer for a single value than this parser for all of them, so a group, or a list of groups, is selected as one text:
// the lengths of the external ID and the name, both texts, then values that cannot contain the separator, except for the last one.

const SEPARATOR = "|";
/** Record separator: JSON text cannot contain it unescaped, so it terminates the properties. */
const END = "\u001e";

/** The values that follow the texts, in order. */
const VALUES = [
  "id",
  "token_key_id",
  "token_ciphertext || token_lookup",
  "version",
  "created_at",
  "updated_at",
];
const [ID, KEY_ID, TOKEN, VERSION, CREATED_AT, UPDATED_AT, PROPERTIES] = [0, 1, 2, 3, 4, 5, 6];

/** SQL expression of a group as one text, without its tenant. */
export const PACKED_USER_GROUP = `concat_ws('${SEPARATOR}', length(provided_id), length(name), provided_id || name || ${VALUES.join(", ")},
  coalesce(properties::text, ''))`;

/** Returns the SQL aggregate of groups as one text; NULL for no group. @param packed expression of a group as text */
export function packList(packed: string): string {
  return `string_agg(${packed}, '${END}')`;
}

/** A row of a statement that selects a group as text. */
export type PackedRow = readonly [group: string];
/** The row of a statement that selects groups as one text. */
export type PackedListRow = readonly [groups: string | null];

/** A group that parses each value on access: for most groups of a long list, few values are needed. */
class StoredUserGroup implements UserGroup {
  readonly accountId: number;
  readonly environment: Environment;
  readonly #text: string;
  readonly #providedIdAt: number;
  readonly #nameAt: number;
  readonly #valuesAt: number;
  readonly #end: number;

  /** @param start offset of the group in the text */
  constructor({ accountId, environment }: TenantKey, text: string, start: number) {
    this.accountId = accountId;
    this.environment = environment;
    this.#text = text;
    const first = text.indexOf(SEPARATOR, start);
    const second = text.indexOf(SEPARATOR, first + 1);
    this.#providedIdAt = second + 1;
    this.#nameAt = skip(text, this.#providedIdAt, Number(text.slice(start, first)));
    this.#valuesAt = skip(text, this.#nameAt, Number(text.slice(first + 1, second)));
    const end = text.indexOf(END, this.#valuesAt);
    this.#end = end === -1 ? text.length : end;
  }

  /** Returns the offset of the end of the group's text. */
  static endOf(group: StoredUserGroup): number {
    return group.#end;
  }

  get id(): number {
    return Number(this.#value(ID));
  }

  get providedId(): string {
    return this.#text.slice(this.#providedIdAt, this.#nameAt);
  }

  get name(): string {
    return this.#text.slice(this.#nameAt, this.#valuesAt);
  }

  get storedToken(): StoredTokenText {
    return { keyId: this.#value(KEY_ID), hex: this.#value(TOKEN).slice(HEX_PREFIX.length) };
  }

  get properties(): Properties {
    const text = this.#text.slice(this.#startOf(PROPERTIES), this.#end);
    return text === "" ? null : text;
  }

  get version(): number {
    return Number(this.#value(VERSION));
  }

  get createdAt(): Date {
    return readTime(this.#value(CREATED_AT));
  }

  get updatedAt(): Date {
    return readTime(this.#value(UPDATED_AT));
  }

  #value(index: number): string {
    const start = this.#startOf(index);
    return this.#text.slice(start, this.#text.indexOf(SEPARATOR, start));
  }

  #startOf(index: number): number {
    let start = this.#valuesAt;
    for (let skipped = 0; skipped < index; skipped += 1) start = this.#text.indexOf(SEPARATOR, start) + 1;
    return start;
  }
}

/** Parses the text of one of the tenant's groups. */
export function readUserGroup(tenant: TenantKey, text: string): UserGroup {
  return new StoredUserGroup(tenant, text, 0);
}

/** Parses the text of a list of the tenant's groups. */
export function readUserGroups(tenant: TenantKey, text: string | null | undefined): UserGroup[] {
  const groups: UserGroup[] = [];
  if (text === null || text === undefined) return groups;
  for (let start = 0; start < text.length; ) {
    const group = new StoredUserGroup(tenant, text, start);
    groups.push(group);
    start = StoredUserGroup.endOf(group) + END.length;
  }
  return groups;
}

/** Returns the offset `characters` code points, the unit of PostgreSQL's length(), after `start`. */
function skip(text: string, start: number, characters: number): number {
  let end = start;
  for (let skipped = 0; skipped < characters; skipped += 1) {
    const isPair = (text.charCodeAt(end) & 0xfc00) === 0xd800;
    end += isPair ? 2 : 1;
  }
  return end;
}
