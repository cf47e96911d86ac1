import type { Tenant } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import { isPlausibleToken } from "../../domain/user-groups/token.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import { findMappings } from "../../persistence/user-groups/mapping-queries.js";
import {
  findUserGroupsByIds,
  findUserGroupsByProvidedIds,
  findUserGroupsByTokens,
  type TokenMatch,
} from "../../persistence/user-groups/reads.js";
import { type Batching, BatchLoader, batchLookups } from "../shared/batch-loader.js";

/** Reads groups in bulk: each method executes one statement, regardless of the number of keys. */
export class UserGroupReader {
  readonly #vault: TokenVault;
  readonly #byId: BatchLoader<number, UserGroup | null>;
  readonly #byProvidedId: BatchLoader<string, UserGroup | null>;
  readonly #byLookup: BatchLoader<Buffer, TokenMatch | null>;
  readonly #mappings: BatchLoader<number, readonly MappedDataSource[]>;

  constructor(db: Database, vault: TokenVault, batching: Batching) {
    this.#vault = vault;
    this.#byId = batchLookups(
      "user_groups_by_id",
      async (tenant, ids) => findUserGroupsByIds(db.for(tenant), ids),
      ({ id }) => id,
      batching,
    );
    this.#byProvidedId = batchLookups(
      "user_groups_by_provided_id",
      async (tenant, ids) => findUserGroupsByProvidedIds(db.for(tenant), ids),
      ({ providedId }) => providedId,
      batching,
    );
    this.#byLookup = new BatchLoader(
      "user_groups_by_token",
      async (tenant, lookups) => {
        const found = await findUserGroupsByTokens(db.for(tenant), lookups);
        // If two groups match, prefer the one whose current token it is: the last entry of the map wins.
        const sorted = found.toSorted((one, other) => Number(one.current) - Number(other.current));
        const matches = new Map(sorted.map((match) => [match.lookup.toString("hex"), match]));
        return lookups.map((lookup) => matches.get(lookup.toString("hex")) ?? null);
      },
      batching,
    );
    this.#mappings = new BatchLoader(
      "mappings",
      async (tenant, ids) => {
        const mappings = await findMappings(db.for(tenant), ids);
        return ids.map((id) => mappings.get(id) ?? []);
      },
      batching,
    );
  }

  /** Returns a group or null per ID, in the order of the IDs. */
  byIds(tenant: Tenant, ids: readonly number[]): Promise<readonly (UserGroup | null)[]> {
    return this.#byId.load(tenant, ids);
  }

  /** Returns a group or null per external ID, in the order of the IDs. */
  byProvidedIds(tenant: Tenant, providedIds: readonly string[]): Promise<readonly (UserGroup | null)[]> {
    return this.#byProvidedId.load(tenant, providedIds);
  }

  /** Returns a group or null per token, in the order of the tokens. Rotated tokens are accepted during their grace period. */
  async byTokens(tenant: Tenant, tokens: readonly string[]): Promise<(UserGroup | null)[]> {
    const matches = await this.#byTokens(tenant, tokens);
    return matches.map(
      (candidates) =>
        (candidates.find((match) => match?.current) ?? candidates.find((match) => match))?.group ?? null,
    );
  }

  /** Returns the group with this current token. Rotated tokens are rejected even during their grace period. */
  async byCurrentToken(tenant: Tenant, token: string): Promise<UserGroup | null> {
    const [matches = []] = await this.#byTokens(tenant, [token]);
    return matches.find((match) => match?.current)?.group ?? null;
  }

  /** Returns the matches of each token's hashes. */
  async #byTokens(tenant: Tenant, tokens: readonly string[]): Promise<(readonly (TokenMatch | null)[])[]> {
    const lookups = tokens.map((token) => (isPlausibleToken(token) ? this.#vault.lookups(token) : []));
    // Read from the primary: a lagging replica would still accept a rotated token.
    const { replica: _, ...current } = tenant;
    const matches = await this.#byLookup.load(current, lookups.flat());
    let start = 0;
    return lookups.map(({ length }) => {
      start += length;
      return matches.slice(start - length, start);
    });
  }

  /** Returns the mapping of each group, ordered by schema ID, in the order of the group IDs. */
  mappings(
    tenant: Tenant,
    userGroupIds: readonly number[],
  ): Promise<readonly (readonly MappedDataSource[])[]> {
    return this.#mappings.load(tenant, userGroupIds);
  }

  /** Returns the group's token in plaintext. */
  tokenOf(group: UserGroup): string {
    return this.#vault.decryptTokenCached(group.storedToken, group);
  }
}
