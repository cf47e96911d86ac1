import type { Tenant } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { signedOut } from "../../domain/authentication/role.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import type { Database } from "../../persistence/database/database.js";
import { findSubscribedGroups } from "../../persistence/user-groups/subscribed-group-queries.js";
import type { KeyWatch } from "../accounts/key-cache.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import { Handout, SharedResult, type Taker } from "../shared/shared-result.js";
import type { ChangeFeed } from "./change-feed.js";
import type { UserGroupReader } from "./reader.js";
import { Subscription } from "./subscription.js";
import {
  invalidCredentialError,
  keyIdOf,
  type SubscriberCredential,
  type WatchCredential,
  type WatchState,
} from "./watch-credentials.js";

interface UserGroupWatchDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly changes: ChangeFeed;
  readonly keyWatch: KeyWatch;
  readonly reader: UserGroupReader;
  readonly batching: Batching;
}

/** Subscribes to changes of user groups. Subscriptions that load a change at the same time share one statement. */
export class UserGroupWatches {
  readonly #states: BatchLoader<{ readonly id: number; readonly keyIds: readonly number[] }, WatchState>;
  /** The loads whose statement has not started, by group and API key. */
  readonly #waiting = new Map<string, SharedResult<WatchState>>();
  readonly #handout = new Handout();

  constructor(private readonly deps: UserGroupWatchDependencies) {
    this.#states = new BatchLoader(
      "subscribed_user_groups",
      async (tenant, requests) => {
        const ids = requests.map(({ id }) => id);
        const keyIds = [...new Set(requests.flatMap((each) => each.keyIds))];
        const { groups, activeKeys } = await findSubscribedGroups(deps.db.for(tenant), ids, keyIds);
        return ids.map((id) => ({ group: groups.get(id) ?? null, activeKeys }));
      },
      deps.batching,
    );
  }

  /** Loads the state of a changed group, once for all subscriptions that ask before the statement starts. */
  #loadChanged(tenant: Tenant, id: number, keyIds: readonly number[], taker: Taker<WatchState>): void {
    const key = `${tenant.accountId}/${tenant.environment}/${id}/${keyIds.join()}`;
    let load = this.deps.batching.isOn ? this.#waiting.get(key) : undefined;
    if (!load) {
      // Before the statement starts: a later change needs another one.
      setImmediate(() => this.#waiting.delete(key));
      load = new SharedResult(this.#states.load({ ...tenant }, { id, keyIds }), this.#handout);
      this.#waiting.set(key, load);
    }
    load.take(taker);
  }

  /**
   * Subscribes to one group, beginning with its current state, or to all groups. No change committed after this resolves is missed.
   * @param groupId null for all groups of the environment, which takes an API key
   * @returns null if the group does not exist
   * @throws DomainError `unauthenticated` if the credential has become invalid; `unavailable` if the database is unreachable or the
   *   service is shutting down
   */
  async watch(
    { accountId, environment, deadline }: Tenant,
    groupId: number | null,
    presented: SubscriberCredential,
  ): Promise<Subscription | null> {
    const { changes, keyWatch, reader, vault } = this.deps;
    const tenant = { accountId, environment };
    const credential: WatchCredential =
      presented.kind === "token" ? { kind: "token", lookups: vault.lookups(presented.token) } : presented;
    const session = "session" in credential ? credential.session : undefined;
    const keyId = keyIdOf(credential);
    const keyIds = keyId === undefined ? [] : [keyId];
    const releases: (() => void)[] = [];
    const source = {
      groupId,
      load: (id: number, until: Deadline | undefined) =>
        this.#states.load({ ...tenant, deadline: until }, { id, keyIds }),
      loadChanged: (id: number, taker: Taker<WatchState>) => this.#loadChanged(tenant, id, keyIds, taker),
      // A scope of its own: mappings that are too large to be loaded together fail for no group.
      loadMapping: (id: number) => reader.mappingOf({ ...tenant }, id),
    };
    const subscription = new Subscription(source, credential, () => {
      for (const release of releases) release();
    });
    try {
      releases.push(changes.follow(tenant, groupId, subscription));
      if (keyId !== undefined) {
        const onRevoked = () => subscription.end(invalidCredentialError(credential));
        releases.push(keyWatch.watch({ accountId, keyId }, onRevoked));
      }
      if (session) releases.push(session.follow(() => subscription.end(signedOut())));
      await changes.listen();
      if (session && !(await session.isOpen())) throw signedOut();
      // Load the state afterwards: a change, revocation or rotation before `listen` resolved would be missed.
      if (await subscription.start(deadline)) return subscription;
      subscription.end();
      return null;
    } catch (error) {
      subscription.end();
      throw error;
    }
  }
}
