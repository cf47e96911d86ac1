import type { Tenant } from "../domain/caller.js";
import type { MappedDataSource } from "../domain/mapping.js";
import type { TokenVault } from "../domain/token-vault.js";
import type { UserGroup } from "../domain/user-group.js";
import { mayBeTokenOf } from "../domain/user-group-token.js";
import type { Database } from "../persistence/database.js";
import { findMappings } from "../persistence/mapping-queries.js";
import {
  findUserGroupsByIds,
  findUserGroupsByProvidedIds,
  findUserGroupsByTokens,
} from "../persistence/user-group-reads.js";
import { inOrder } from "./in-order.js";

/** Reads groups, many at a time: each method takes one statement however many keys it is given. */
export class UserGroupReader {
  readonly #db: Database;
  readonly #vault: TokenVault;

  constructor(db: Database, vault: TokenVault) {
    this.#db = db;
    this.#vault = vault;
  }

  /** @returns a group or null for each id, in the same order */
  async byIds(tenant: Tenant, ids: readonly number[]): Promise<(UserGroup | null)[]> {
    return inOrder(ids, await findUserGroupsByIds(this.#db.of(tenant), tenant, ids), ({ id }) => id);
  }

  /** @returns a group or null for each provided id, in the same order */
  async byProvidedIds(tenant: Tenant, providedIds: readonly string[]): Promise<(UserGroup | null)[]> {
    const found = await findUserGroupsByProvidedIds(this.#db.of(tenant), tenant, providedIds);
    return inOrder(providedIds, found, ({ providedId }) => providedId);
  }

  /** @returns a group or null for each token, in the same order; an old token counts during its grace period */
  async byTokens(tenant: Tenant, tokens: readonly string[]): Promise<(UserGroup | null)[]> {
    const asked = tokens.map((token) =>
      mayBeTokenOf(tenant.accountId, token) ? this.#vault.lookups(token) : [],
    );
    const lookups = asked.flat();
    if (lookups.length === 0) return tokens.map(() => null);
    const groups = new Map<string, UserGroup>();
    for (const { lookup, group } of await findUserGroupsByTokens(this.#db.of(tenant), tenant, lookups)) {
      groups.set(lookup.toString("hex"), group);
    }
    return asked.map((hashes) => {
      const hash = hashes.find((candidate) => groups.has(candidate.toString("hex")));
      return (hash && groups.get(hash.toString("hex"))) ?? null;
    });
  }

  /** @returns the mapping of each group, ordered by schema id, in the order of the ids */
  async mappings(tenant: Tenant, userGroupIds: readonly number[]): Promise<(readonly MappedDataSource[])[]> {
    const mappings = await findMappings(this.#db.of(tenant), tenant, userGroupIds);
    return userGroupIds.map((id) => mappings.get(id) ?? []);
  }

  /** The token of a group, in the clear. */
  tokenOf(group: UserGroup): string {
    return this.#vault.open(group.sealedToken, group);
  }
}
