import {
  type ApiKey,
  type ApiKeyFilter,
  type ApiKeySortField,
  issueApiKey,
  type ListedApiKey,
} from "../../domain/accounts/api-key.js";
import type { Account, Actor, Admin, Scope } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, invalidField } from "../../domain/shared/errors.js";
import {
  API_KEY_LIST,
  findTenantOfKey,
  insertApiKey,
  listAccountKeys,
  revokeApiKey,
} from "../../persistence/accounts/api-key-queries.js";
import { AccountEntity } from "../../persistence/accounts/entities.js";
import type { Database } from "../../persistence/database/database.js";
import { StoredList } from "../shared/item-list.js";
import type { KeyRevocations } from "./key-cache.js";

interface NewApiKey {
  readonly environment: Environment;
  readonly scope: Scope;
  readonly name: string;
  readonly expiresAt: Date | null;
}

/** Manages accounts and their API keys for the operator of the service. */
export class AccountService {
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
  ) {}

  /** ID of the encryption key for the tokens of new accounts. */
  get tokenKeyId(): string {
    return this.vault.primaryKeyId;
  }

  /** Gets or creates the account with this name. */
  async ensure(name: string): Promise<{ readonly accountId: number; readonly created: boolean }> {
    return this.db.entities("operator", async (manager) => {
      const inserted = await manager
        .createQueryBuilder()
        .insert()
        .into(AccountEntity)
        .values({ name, tokenKeyId: this.vault.primaryKeyId })
        .orIgnore()
        .execute();
      const account = await manager.findOneByOrFail(AccountEntity, { name });
      return { accountId: account.id, created: inserted.identifiers[0] !== undefined };
    });
  }

  /**
   * Creates an API key.
   * @param owner the account, and the actor for the audit log
   * @returns the secret, which is not stored, and the stored key
   */
  async createKey(
    owner: { readonly accountId: number; readonly actor?: Actor },
    key: NewApiKey,
  ): Promise<{ readonly secret: string; readonly apiKey: ApiKey }> {
    const { accountId } = owner;
    const { secret, hash, hint } = issueApiKey(accountId, key.environment);
    const db = this.db.for({ ...owner, environment: key.environment });
    const apiKey = await db.transaction((transaction) => insertApiKey(transaction, { ...key, hash, hint }));
    return { secret, apiKey };
  }

  /** Lists all accounts in the order of their creation. */
  async list(): Promise<readonly Account[]> {
    return this.db.entities("operator", (manager) => manager.find(AccountEntity, { order: { id: "ASC" } }));
  }

  /** Finds an account by ID. */
  async find(id: number): Promise<Account | null> {
    return this.db.entities("operator", (manager) => manager.findOneBy(AccountEntity, { id }));
  }

  /** Lists the keys of one account, or of all accounts, oldest first. */
  async listKeys(accountName?: string): Promise<readonly ListedApiKey[]> {
    return listAccountKeys(this.db.manager("read", "api_keys_of_accounts"), accountName);
  }

  /**
   * Revokes a key permanently.
   * @param actor the author for the audit log; by default the database role
   * @returns false if no key has this ID or it is already revoked
   */
  async revokeKey(keyId: number, actor?: Actor): Promise<boolean> {
    const tenant = await findTenantOfKey(this.db.manager("read", "api_key_tenant"), keyId);
    if (!tenant) return false;
    const db = this.db.for({ ...tenant, ...(actor && { actor }) });
    return (await db.transaction((transaction) => revokeApiKey(transaction, keyId))) !== null;
  }
}

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
    const revoked = await this.db.for(admin).transaction((transaction) => revokeApiKey(transaction, id));
    if (revoked) {
      this.revocations.revoked(admin, id);
      return revoked;
    }
    throw new DomainError("api_key_not_found", "No API key has this ID.", { field: ["id"] });
  }
}
