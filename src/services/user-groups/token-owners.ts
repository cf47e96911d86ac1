import type { TenantKey } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { lookupOf, type TokenVault } from "../../domain/accounts/token-vault.js";
import { ImportedTokenError, parseUserGroupToken } from "../../domain/user-groups/token.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import { findTokenLocations, findTokenOwners } from "../../persistence/user-groups/imported-token-queries.js";

/** The owners of imported tokens: a token must identify a single group across all accounts (decision 45). */
export class TokenOwners {
  /**
   * @param hashes the hashes of each token that it may be stored under
   * @param owners the groups that have a token with a hash, as `ownerOf` names them
   */
  private constructor(
    private readonly tenant: TenantKey,
    private readonly hashes: ReadonlyMap<string, readonly string[]>,
    private readonly owners: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** Finds the owners of tokens. Call it outside a transaction: it reads several tenants and needs its own connections. */
  static async find(
    db: Database,
    vault: TokenVault,
    tenant: TenantKey,
    tokens: readonly string[],
  ): Promise<TokenOwners> {
    const lookups = new Map(tokens.map((token) => [token, vault.lookups(token)]));
    const owners = new Map<string, string[]>();
    for (const place of await findPlaces(db, tenant.accountId, lookups)) {
      for (const { lookup, providedId } of await findTokenOwners(db.for(place.tenant), place.hashes))
        owners.set(lookup, [...(owners.get(lookup) ?? []), ownerOf(place.tenant, providedId)]);
    }
    const texts = [...lookups].map(([token, hashes]) => [token, hashes.map(toHex)] as const);
    return new TokenOwners(tenant, new Map(texts), owners);
  }

  /**
   * Returns the token to store for a group: the imported one, if the group does not have it already.
   * @param group undefined if it will be created
   * @param replaces whether an existing group gets the token
   * @throws ImportedTokenError
   */
  tokenToStore(
    providedId: string,
    token: string | undefined,
    { group, replaces }: { readonly group: UserGroup | undefined; readonly replaces: boolean },
  ): string | undefined {
    if (token === undefined) return undefined;
    const hashes = this.hashes.get(token) ?? [];
    if (group && hashes.includes(lookupOf(group.storedToken))) return undefined;
    if (group && !replaces) {
      const rule = "differs from the token of the user group; use --replace-tokens to overwrite it";
      throw new ImportedTokenError("token_differs", rule);
    }
    const self = ownerOf(this.tenant, providedId);
    const isTaken = hashes.some((hash) => this.owners.get(hash)?.some((owner) => owner !== self));
    if (isTaken) throw new ImportedTokenError("token_taken", "is the token of another user group");
    return token;
  }
}

function ownerOf({ accountId, environment }: TenantKey, providedId: string): string {
  return `${accountId} ${environment} ${providedId}`;
}

/** A tenant that may have groups with tokens, and the hashes to look up there. */
interface Place {
  readonly tenant: TenantKey;
  readonly hashes: Buffer[];
}

async function findPlaces(
  db: Database,
  accountId: number,
  lookups: ReadonlyMap<string, readonly Buffer[]>,
): Promise<readonly Place[]> {
  const all = [...lookups.values()].flat();
  if (all.length === 0) return [];
  const places = new Map<string, Place>();
  const add = (tenant: TenantKey, hashes: readonly Buffer[]) => {
    const key = ownerOf(tenant, "");
    const place = places.get(key) ?? { tenant, hashes: [] };
    place.hashes.push(...hashes);
    places.set(key, place);
  };
  // Tokens must be unique across both environments.
  for (const environment of ENVIRONMENTS) add({ accountId, environment }, all);
  for (const [token, hashes] of lookups) {
    // A token issued by this service names its account, which may be a different one.
    const named = parseUserGroupToken(token)?.accountId;
    if (named === undefined || named === accountId) continue;
    for (const environment of ENVIRONMENTS) add({ accountId: named, environment }, hashes);
  }
  for (const { lookup, ...tenant } of await findTokenLocations(db.of("operator"), all))
    if (tenant.accountId !== accountId) add(tenant, [lookup]);
  return [...places.values()];
}

function toHex(hash: Buffer): string {
  return hash.toString("hex");
}
