import type { Tenant, TenantKey } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { Database } from "../../persistence/database/database.js";
import { findSubscribedGroups } from "../../persistence/user-groups/subscribed-group-queries.js";
import type { KeyWatch } from "../accounts/key-cache.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import type { ChangeFeed, ChangeListener } from "./change-feed.js";
import {
  createEvent,
  expiredCredentialError,
  expiryOf,
  GroupWatch,
  invalidCredentialError,
  keyIdOf,
  type SessionCredential,
  type WatchCredential,
  type WatchState,
} from "./group-watch.js";
import type { UserGroupReader } from "./reader.js";
import { Subscription } from "./subscription.js";

/** An ID that no group has. */
const NO_GROUP = 0;

/** The credential presented to watch a group. */
export type SubscriberCredential =
  | { readonly kind: "apiKey"; readonly keyId: number }
  | { readonly kind: "token"; readonly token: string }
  | SessionCredential;

export interface UserGroupWatchDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly changes: ChangeFeed;
  readonly keyWatch: KeyWatch;
  readonly reader: UserGroupReader;
  readonly batching: Batching;
}

/**
 * Delivers changes of groups to subscribers. Each change is loaded once per group and delivered only to subscribers whose credentials
 * are valid at that moment, even if the notification of a revocation or rotation was lost.
 */
export class UserGroupWatches {
  readonly #changes: ChangeFeed;
  readonly #vault: TokenVault;
  readonly #keyWatch: KeyWatch;
  readonly #reader: UserGroupReader;
  readonly #states: BatchLoader<{ readonly id: number; readonly keyIds: readonly number[] }, WatchState>;
  readonly #watches = new Map<string, GroupWatch>();

  constructor({ db, vault, changes, keyWatch, reader, batching }: UserGroupWatchDependencies) {
    this.#vault = vault;
    this.#changes = changes;
    this.#keyWatch = keyWatch;
    this.#reader = reader;
    this.#states = new BatchLoader(
      "subscribed_user_groups",
      async (tenant, requests) => {
        const ids = requests.map(({ id }) => id);
        const keyIds = [...new Set(requests.flatMap((each) => each.keyIds))];
        const { groups, activeKeys } = await findSubscribedGroups(db.for(tenant), ids, keyIds);
        return ids.map((id) => ({ group: groups.get(id) ?? null, activeKeys }));
      },
      batching,
    );
  }

  /**
   * Subscribes to one group, beginning with its current state. No change committed after this resolves is missed. Iterating the subscription throws the error that ended
   * it.
   * @returns null if the group does not exist
   * @throws DomainError `unauthenticated` if the credential has become invalid; `unavailable` if the database is unreachable or the
   *   service is shutting down
   */
  async watch(tenant: Tenant, id: number, presented: SubscriberCredential): Promise<Subscription | null> {
    const credential: WatchCredential =
      presented.kind === "token"
        ? { kind: "token", lookups: this.#vault.lookups(presented.token) }
        : presented;
    const { subscription, state } = await this.#start(tenant, id, credential);
    if (!state?.group) {
      subscription.end();
      return null;
    }
    subscription.start(createEvent({ id, kind: "current" }, state, () => this.#loadMapping(tenant, id)));
    return subscription;
  }

  /** Subscribes to all groups of an environment, with an API key. @throws like `watch` */
  async watchAll(tenant: Tenant, keyId: number): Promise<Subscription> {
    return (await this.#start(tenant, null, { kind: "apiKey", keyId })).subscription;
  }

  /** @param id null for all groups of the environment */
  async #start({ accountId, environment, deadline }: Tenant, id: number | null, credential: WatchCredential) {
    const tenant = { accountId, environment };
    const subscription = this.#subscribe(tenant, id, credential);
    try {
      await this.#changes.listen();
      // Check again: a revocation or rotation before `listen` resolved would be missed.
      const [state] = await this.#load({ ...tenant, deadline }, [id ?? NO_GROUP], [credential]);
      const expiresAt = state && expiryOf(credential, state);
      if (expiresAt === undefined) throw invalidCredentialError(credential);
      subscription.expireAt(expiresAt, expiredCredentialError(credential));
      return { subscription, state };
    } catch (error) {
      subscription.end();
      throw error;
    }
  }

  #subscribe(tenant: Tenant, id: number | null, credential: WatchCredential): Subscription {
    const name = `${tenant.accountId}/${tenant.environment}/${id ?? "*"}`;
    const watch = this.#watches.get(name) ?? this.#createWatch(tenant, id);
    this.#watches.set(name, watch);
    const subscription = new Subscription(() => {
      unwatchKey?.();
      if (watch.remove(subscriber)) this.#watches.delete(name);
    });
    const subscriber = { credential, subscription };
    const keyId = keyIdOf(credential);
    const unwatchKey =
      keyId === undefined
        ? undefined
        : this.#keyWatch.watch({ accountId: tenant.accountId, keyId }, () =>
            subscription.end(invalidCredentialError(credential)),
          );
    try {
      watch.add(subscriber);
      return subscription;
    } catch (error) {
      subscription.end();
      throw error;
    }
  }

  #createWatch(tenant: Tenant, id: number | null): GroupWatch {
    const source = {
      load: (ids: readonly number[], credentials: readonly WatchCredential[]) =>
        this.#load(tenant, ids, credentials),
      loadMapping: (groupId: number) => this.#loadMapping(tenant, groupId),
      follow: (listener: ChangeListener) => this.#changes.follow(tenant, id, listener),
    };
    return new GroupWatch(source, { isOfManyGroups: id === null });
  }

  /** Loads a mapping in a scope of its own: mappings that are too large to be loaded together fail for no group. */
  async #loadMapping(
    { accountId, environment }: TenantKey,
    id: number,
  ): Promise<readonly MappedDataSource[]> {
    return this.#reader.mappings.load({ accountId, environment }, id);
  }

  async #load(
    tenant: Tenant,
    ids: readonly number[],
    credentials: readonly WatchCredential[],
  ): Promise<WatchState[]> {
    const keyIds = [...new Set(credentials.flatMap((each) => keyIdOf(each) ?? []))];
    return Promise.all(ids.map((id) => this.#states.load(tenant, { id, keyIds })));
  }
}
