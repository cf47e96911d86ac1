import type { EventStreamLimits } from "../domain/event-stream-limits.js";
import type { SharedCounters } from "../domain/rate-limit.js";
import type { ReadConsistency } from "../domain/read-consistency.js";
import { countOnly, type Telemetry } from "../domain/telemetry/telemetry.js";
import type { TokenVault } from "../domain/token-vault.js";
import type { Database } from "../persistence/database.js";
import { type ListenOptions, NotificationChannel } from "../persistence/notification-channel.js";
import type { ReadReplicas } from "../persistence/read-replicas.js";
import { UserGroupIds } from "../persistence/user-group-ids.js";
import { Access } from "./access.js";
import { AccountService } from "./account-service.js";
import { ApiKeyService } from "./api-key-service.js";
import { AuditLog } from "./audit-log.js";
import { AuthFailures } from "./auth-failures.js";
import { ChangeFeed } from "./change-feed.js";
import { DataSourceService } from "./data-source-service.js";
import { EventStreams } from "./event-streams.js";
import { Idempotency } from "./idempotency.js";
import { KeyCache } from "./key-cache.js";
import { KeyRevocations } from "./key-revocations.js";
import { KeyUsage } from "./key-usage.js";
import { KeyWatch } from "./key-watch.js";
import { LaggingReads } from "./lagging-reads.js";
import { Listing } from "./listing.js";
import { MappingService } from "./mapping-service.js";
import { createPurgeList } from "./purge-list.js";
import { type PurgeOptions, Purges } from "./purges.js";
import { RateCounters } from "./rate-counters.js";
import { RateLimits } from "./rate-limits.js";
import { SiteConfigReader } from "./site-config-reader.js";
import { SiteConfigService } from "./site-config-service.js";
import { SiteConfigThread } from "./site-config-thread.js";
import { UserGroupCreations } from "./user-group-creations.js";
import { UserGroupEdits } from "./user-group-edits.js";
import { UserGroupReader } from "./user-group-reader.js";
import { UserGroupService } from "./user-group-service.js";
import { UserGroupUpserts } from "./user-group-upserts.js";
import { UserGroupWatches } from "./user-group-watches.js";
import { WebhookAttempts } from "./webhook-attempts.js";
import { WebhookDispatcher } from "./webhook-dispatcher.js";
import { deliveryOptions, type WebhookOptions } from "./webhook-options.js";
import { WebhookSender } from "./webhook-sender.js";
import { WebhookService } from "./webhook-service.js";
import { WebhookTargets } from "./webhook-targets.js";

/** Everything the service can do; both faces are built upon it. */
export interface Services {
  readonly access: Access;
  readonly accounts: AccountService;
  readonly apiKeys: ApiKeyService;
  readonly auditLog: AuditLog;
  readonly changes: ChangeFeed;
  readonly dataSources: DataSourceService;
  readonly eventStreams: EventStreams;
  readonly idempotency: Idempotency;
  readonly keyUsage: KeyUsage;
  readonly laggingReads: LaggingReads;
  readonly listing: Listing;
  readonly mappings: MappingService;
  /** Notifications of other processes; `changes` closes it. */
  readonly notifications: NotificationChannel;
  readonly rateLimits: RateLimits;
  readonly siteConfigs: SiteConfigService;
  readonly siteConfigReader: SiteConfigReader;
  readonly purges: Purges;
  readonly siteConfigThread: SiteConfigThread;
  readonly userGroups: UserGroupService;
  readonly userGroupReader: UserGroupReader;
  readonly userGroupUpserts: UserGroupUpserts;
  readonly userGroupWatches: UserGroupWatches;
  readonly webhooks: WebhookService;
  readonly webhookDispatcher: WebhookDispatcher;
  /** Who is told what both faces do. */
  readonly telemetry: Telemetry;
  /** @throws DomainError `unavailable` when the database is out of reach */
  checkReadiness(): Promise<void>;
}

export interface ServiceOptions {
  /** How long a rotated token may still be used to read. */
  readonly tokenGraceSeconds: number;
  /** Where to listen for changes. */
  readonly listen: ListenOptions;
  readonly eventStreams: EventStreamLimits;
  /** Addresses and networks of proxies, which are not clients themselves. */
  readonly trustedProxies: readonly string[];
  readonly rateLimits: RateLimitOptions;
  readonly reads: ReadOptions;
  readonly speed: SpeedOptions;
  /** Where webhooks may go. */
  readonly webhooks: WebhookOptions;
  /** Unless the default ones are meant. */
  readonly purges?: Partial<PurgeOptions>;
  readonly telemetry?: Telemetry;
}

/** What makes the service fast, and can be turned off to see what it is worth. */
export interface SpeedOptions {
  /** Whether what requests read, or create, at the same time goes to the database as one statement. */
  readonly collect: boolean;
  /** How long a valid API key is remembered, in milliseconds; 0 asks the database each time. */
  readonly keyCacheMs: number;
}

export interface ReadOptions {
  /** What requests get that do not say what they want to see. */
  readonly consistency: ReadConsistency;
  readonly replicas: ReadReplicas | undefined;
}

export interface RateLimitOptions {
  readonly windowSeconds: number;
  /** The most points of an API key, a user group's front ends or an address without credentials in a window; 0 for any number. */
  readonly points: number;
  /** The most failed authentications of an address in a window; 0 for any number. */
  readonly authFailures: number;
  /** Where all replicas count; undefined: each process counts alone. */
  readonly shared: SharedCounters | undefined;
}

export function createServices(database: Database, vault: TokenVault, options: ServiceOptions): Services {
  const accounts = new AccountService(database, vault);
  const { collect, keyCacheMs } = options.speed;
  const { telemetry = countOnly() } = options;
  const { tally } = telemetry;
  const collecting = { isOn: collect, telemetry };
  const keys = new KeyCache(keyCacheMs, tally.caches.apiKeys);
  const userGroupReader = new UserGroupReader(database, vault, collecting);
  const notifications = new NotificationChannel(database, options.listen);
  const changes = new ChangeFeed(notifications);
  const keyWatch = new KeyWatch(database);
  const revocations = new KeyRevocations(keys, keyWatch, notifications);
  const ids = new UserGroupIds(database);
  const edits = new UserGroupEdits(database, options.tokenGraceSeconds, collecting);
  const creations = new UserGroupCreations(database, ids, vault, collecting);
  const keyUsage = new KeyUsage(database);
  const { windowSeconds, points, authFailures, shared } = options.rateLimits;
  const failures = { policy: "auth-failures", limit: authFailures, windowSeconds } as const;
  const counters = new RateCounters(windowSeconds * 1000, shared);
  const targets = new WebhookTargets(options.webhooks);
  const webhooks = deliveryOptions(options.webhooks);
  const sender = new WebhookSender(targets, webhooks.attemptTimeoutMs);
  return {
    access: new Access(
      database,
      vault,
      keys,
      userGroupReader,
      keyUsage,
      new AuthFailures(counters, failures, tally),
    ),
    accounts,
    apiKeys: new ApiKeyService(database, accounts, revocations),
    auditLog: new AuditLog(database),
    changes,
    dataSources: new DataSourceService(database, collecting),
    eventStreams: new EventStreams(options.eventStreams, options.trustedProxies, tally),
    idempotency: new Idempotency(database, vault),
    keyUsage,
    laggingReads: new LaggingReads(options.reads.replicas, options.reads.consistency, tally),
    listing: new Listing(database, collecting),
    mappings: new MappingService(database, vault, changes),
    notifications,
    rateLimits: new RateLimits(counters, { policy: "requests", limit: points, windowSeconds }, tally),
    siteConfigs: new SiteConfigService(database),
    siteConfigReader: new SiteConfigReader(database),
    siteConfigThread: new SiteConfigThread(tally.siteConfigRefusals),
    userGroups: new UserGroupService(database, vault, userGroupReader, creations, edits, changes),
    userGroupReader,
    userGroupUpserts: new UserGroupUpserts(database, ids, vault, changes),
    userGroupWatches: new UserGroupWatches(database, vault, changes, keyWatch, userGroupReader, collecting),
    webhooks: new WebhookService(database, vault, targets),
    purges: new Purges(createPurgeList(database, webhooks.pendingMaxAgeMs), tally, options.purges),
    webhookDispatcher: new WebhookDispatcher(
      database,
      new WebhookAttempts(database, vault, sender, telemetry, webhooks),
      webhooks,
    ),
    telemetry,
    async checkReadiness() {
      await database.run({ name: "readiness", access: "read", text: "SELECT 1 AS ready" }, []);
    },
  };
}
