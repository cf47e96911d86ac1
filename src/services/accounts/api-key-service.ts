import type { ApiKey } from "../../domain/accounts/api-key.js";
import type { ApiKeyFilter, ApiKeySortField } from "../../domain/accounts/api-key-list.js";
import type { Admin, Scope } from "../../domain/accounts/caller.js";
import { DomainError, invalidField } from "../../domain/shared/errors.js";
import { API_KEY_LIST, revokeApiKey } from "../../persistence/accounts/api-key-queries.js";
import type { Database } from "../../persistence/database/database.js";
import { StoredList } from "../shared/item-list.js";
import type { AccountService } from "./account-service.js";
import type { KeyRevocations } from "./key-revocations.js";

/** Manages the API keys of an environment for its admins. */
export class ApiKeyService {
  readonly list: StoredList<ApiKey, ApiKeyFilter, ApiKeySortField>;

  constructor(
    private readonly db: Database,
    private readonly accounts: AccountService,
    private readonly revocations: KeyRevocations,
  ) {
    this.list = new StoredList(db, API_KEY_LIST);
  }

  /**
   * Creates a key for the admin's environment (decision 1).
   * @returns the secret, which is shown only once, and the key
   * @throws DomainError `invalid_field` if `expiresAt` is in the past
   */
  async create(
    admin: Admin,
    key: { readonly name: string; readonly scope: Scope; readonly expiresAt: Date | null },
  ): Promise<{ readonly secret: string; readonly apiKey: ApiKey }> {
    if (key.expiresAt && key.expiresAt.getTime() <= Date.now()) {
      throw invalidField(["expiresAt"], "must be in the future");
    }
    return this.accounts.createKey(admin, { ...key, environment: admin.environment });
  }

  /** Revokes a key permanently; a revoked key is returned unchanged. @throws DomainError `api_key_not_found` */
  async revoke(admin: Admin, id: number): Promise<ApiKey> {
    const revoked = await revokeApiKey(this.db.for(admin), id);
    if (revoked) {
      this.revocations.revoked(admin, id);
      return revoked;
    }
    throw new DomainError("api_key_not_found", "No API key has this ID.", { field: ["id"] });
  }
}
