import { LRUCache } from "lru-cache";
import type { TenantKey } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { invalidField } from "../../domain/shared/errors.js";
import { getOrCreate } from "../../domain/shared/get-or-create.js";
import type { Database } from "../../persistence/database/database.js";
import { SigningKeys } from "../authentication/signing-keys.js";

/** Environments whose keys a process keeps. */
const MAX_CACHED = 1000;

/**
 * The keys that sign the tokens of session templates. Each account and environment has its own, and an issuer: a tool that trusts one does not
 * trust another, even if it does not look at the audience.
 */
export class TemplateKeys {
  readonly #keys = new LRUCache<string, SigningKeys>({ max: MAX_CACHED });

  /** @param publicUrl address of this service; without it, templates cannot use ES256 */
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly publicUrl: string | undefined,
  ) {}

  /** Returns the keys of an environment. */
  of({ accountId, environment }: TenantKey): SigningKeys {
    const name = `${accountId}/${environment}`;
    const create = () => new SigningKeys(this.db, this.vault, { accountId, environment });
    return getOrCreate<string, SigningKeys>(this.#keys, name, create);
  }

  /** Returns `iss` of an environment's tokens; null without a public address. The key set is below it. */
  issuerOf({ accountId, environment }: TenantKey): string | null {
    const base = this.publicUrl?.replace(/\/$/, "");
    return base === undefined ? null : `${base}/accounts/${accountId}/${environment}`;
  }

  /** @throws DomainError `invalid_field` without a public address */
  requireIssuer(tenant: TenantKey): string {
    const issuer = this.issuerOf(tenant);
    if (issuer !== null) return issuer;
    throw invalidField(["algorithm"], "must be HS256: for ES256, the operator must set `PUBLIC_URL`");
  }
}
