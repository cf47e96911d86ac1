import type { Tenant } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, type FieldPath } from "../../domain/shared/errors.js";
import { inOrder } from "../../domain/shared/in-order.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import { isPlausibleToken } from "../../domain/user-groups/token.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import { findMappings } from "../../persistence/user-groups/mapping-queries.js";
import {
  findUserGroupsByIds,
  findUserGroupsByProvidedIds,
  findUserGroupsByTokens,
  type TokenMatch,
} from "../../persistence/user-groups/reads.js";
import { type StoredRef } from "../../persistence/user-groups/row.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";

const NOT_VISIBLE = "Groups of the other environment are not visible here.";
const NOT_FOUND: Readonly<Record<UserGroupRef["by"], string>> = {
  id: `No user group of this environment has this ID. ${NOT_VISIBLE}`,
  providedId: `No user group of this environment has this ID. Create it with GET /api/user (REST) or \`getOrCreateUserGroup\` (GraphQL). ${NOT_VISIBLE}`,
  token: "No user group has this token.",
};

/** Reads groups; the values that are loaded at the same time share a statement. */
export class UserGroupReader {
  readonly byId: BatchLoader<number, UserGroup | null>;
  readonly byProvidedId: BatchLoader<string, UserGroup | null>;
  /** Loads the mappings of groups by their IDs, each ordered by schema ID, and maybe those of others. Empty ones are absent. */
  readonly mappings: BatchLoader<readonly number[], ReadonlyMap<number, readonly MappedDataSource[]>>;
  readonly #byLookup: BatchLoader<Buffer, TokenMatch | null>;

  constructor(
    db: Database,
    private readonly vault: TokenVault,
    batching: Batching,
  ) {
    this.byId = new BatchLoader(
      "user_groups_by_id",
      async (tenant, ids) => inOrder(ids, await findUserGroupsByIds(db.for(tenant), ids), ({ id }) => id),
      batching,
    );
    this.byProvidedId = new BatchLoader(
      "user_groups_by_provided_id",
      async (tenant, ids) =>
        inOrder(ids, await findUserGroupsByProvidedIds(db.for(tenant), ids), ({ providedId }) => providedId),
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
    this.mappings = new BatchLoader(
      "mappings",
      async (tenant, requests) => {
        const mappings = await findMappings(db.for(tenant), requests.flat());
        return requests.map(() => mappings);
      },
      batching,
      { sizeOf: (ids) => ids.length },
    );
  }

  /** Returns the group with this token, or null. Rotated tokens are accepted during their grace period. */
  async byToken(tenant: Tenant, token: string): Promise<UserGroup | null> {
    const matches = await this.#matchesOf(tenant, token);
    return (matches.find((match) => match?.current) ?? matches.find((match) => match))?.group ?? null;
  }

  /** Returns a group by reference. Rotated tokens are rejected even during their grace period. */
  async current(tenant: Tenant, ref: UserGroupRef): Promise<UserGroup | null> {
    if (ref.by === "id") return this.byId.load(tenant, ref.id);
    if (ref.by === "providedId") return this.byProvidedId.load(tenant, ref.providedId);
    const matches = await this.#matchesOf(tenant, ref.token);
    return matches.find((match) => match?.current)?.group ?? null;
  }

  async #matchesOf(tenant: Tenant, token: string): Promise<readonly (TokenMatch | null)[]> {
    const lookups = isPlausibleToken(token) ? this.vault.lookups(token) : [];
    return Promise.all(lookups.map((lookup) => this.#byLookup.load(tenant, lookup)));
  }

  /** Returns the mapping of a group, ordered by schema ID. */
  async mappingOf(tenant: Tenant, id: number): Promise<readonly MappedDataSource[]> {
    return (await this.mappings.load(tenant, [id])).get(id) ?? [];
  }

  /** Returns the group's token in plaintext. */
  tokenOf(group: UserGroup): string {
    return this.vault.decryptTokenCached(group.storedToken, group);
  }
}

/**
 * Converts a reference for the database; tokens are stored by hash.
 * @throws DomainError `user_group_not_found` for a malformed token
 */
export function storedRef(vault: TokenVault, ref: UserGroupRef): StoredRef {
  if (ref.by !== "token") return ref;
  if (!isPlausibleToken(ref.token)) throw userGroupNotFound("token");
  return { by: "token", lookups: vault.lookups(ref.token) };
}

/** @throws DomainError `user_group_not_found` if `found` is null */
export function requireUserGroup<Found extends object>(
  found: Found | null,
  ref: { readonly by: UserGroupRef["by"] },
): Found {
  if (!found) throw userGroupNotFound(ref.by);
  return found;
}

/** Creates the error for a reference to no user group of the environment. @param field for GraphQL, the input that has the reference */
export function userGroupNotFound(by: UserGroupRef["by"], field?: FieldPath): DomainError {
  return new DomainError("user_group_not_found", NOT_FOUND[by], field && { field });
}
