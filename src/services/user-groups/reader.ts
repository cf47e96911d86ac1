import type { Tenant } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import { mayBeToken } from "../../domain/user-groups/token.js";
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

/** Reads groups, many at a time: each method takes one statement however many keys it is given. */
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
        // Of two groups with one token, that has it which does now: last, it is the one that stays.
        const inOrder = found.toSorted((one, other) => Number(one.current) - Number(other.current));
        const matches = new Map(inOrder.map((match) => [match.lookup.toString("hex"), match]));
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

  /** @returns a group or null for each id, in the same order */
  byIds(tenant: Tenant, ids: readonly number[]): Promise<readonly (UserGroup | null)[]> {
    return this.#byId.load(tenant, ids);
  }

  /** @returns a group or null for each provided id, in the same order */
  byProvidedIds(tenant: Tenant, providedIds: readonly string[]): Promise<readonly (UserGroup | null)[]> {
    return this.#byProvidedId.load(tenant, providedIds);
  }

  /** @returns a group or null for each token, in the same order; an old token counts during its grace period */
  async byTokens(tenant: Tenant, tokens: readonly string[]): Promise<(UserGroup | null)[]> {
    const matches = await this.#byTokens(tenant, tokens);
    return matches.map(
      (ofToken) => (ofToken.find((match) => match?.current) ?? ofToken.find((match) => match))?.group ?? null,
    );
  }

  /** The group whose present token this is; one in its grace period does not count. */
  async byCurrentToken(tenant: Tenant, token: string): Promise<UserGroup | null> {
    const [matches = []] = await this.#byTokens(tenant, [token]);
    return matches.find((match) => match?.current)?.group ?? null;
  }

  /** What was found under each hash of each token. */
  async #byTokens(tenant: Tenant, tokens: readonly string[]): Promise<(readonly (TokenMatch | null)[])[]> {
    const asked = tokens.map((token) => (mayBeToken(token) ? this.#vault.lookups(token) : []));
    // A token that was rotated is dead at once, which a replica may not have heard of.
    const { replica: _, ...current } = tenant;
    const matches = await this.#byLookup.load(current, asked.flat());
    let start = 0;
    return asked.map(({ length }) => {
      start += length;
      return matches.slice(start - length, start);
    });
  }

  /** @returns the mapping of each group, ordered by schema id, in the order of the ids */
  mappings(
    tenant: Tenant,
    userGroupIds: readonly number[],
  ): Promise<readonly (readonly MappedDataSource[])[]> {
    return this.#mappings.load(tenant, userGroupIds);
  }

  /** The token of a group, in the clear. */
  tokenOf(group: UserGroup): string {
    return this.#vault.recallToken(group.storedToken, group);
  }
}
