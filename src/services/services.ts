import type { TokenVault } from "../domain/accounts/token-vault.js";
import type { EventStreamLimits } from "../domain/requests/event-stream-limits.js";
import { DEFAULT_RETENTION, type Retention } from "../domain/shared/retention.js";
import type { Database } from "../persistence/database/database.js";
import { type ListenOptions, NotificationChannel } from "../persistence/database/notification-channel.js";
import { purgeList } from "../persistence/transfer/purge-list.js";
import { countOnly, type Telemetry } from "../telemetry/telemetry.js";
import { AccountService, ApiKeyService } from "./accounts/account-service.js";
import { KeyCache, KeyRevocations, KeyWatch } from "./accounts/key-cache.js";
import { Usage } from "./accounts/usage.js";
import { AuditLog } from "./audit/log.js";
import { Access } from "./authentication/access.js";
import { ConsoleSessions } from "./authentication/console-sessions.js";
import { EmbedSessions } from "./authentication/embed-sessions.js";
import { IdentityProvider, type IdentityProviderOptions } from "./authentication/identity-provider.js";
import { SigningKeys } from "./authentication/signing-keys.js";
import { DataSourceService } from "./data-sources/service.js";
import { EventStreams } from "./requests/event-streams.js";
import { Idempotency } from "./requests/idempotency.js";
import { AuthFailures, RateCounter, RateLimits, type SharedLimiters } from "./requests/rate-limits.js";
import { TemplateChecks } from "./session-templates/checks.js";
import { TemplateKeys } from "./session-templates/keys.js";
import { SessionTemplates } from "./session-templates/service.js";
import { TemplateSessions } from "./session-templates/sessions.js";
import { SiteConfigReader } from "./site-configs/reader.js";
import { SiteConfigService } from "./site-configs/service.js";
import { PurgeJob, type PurgeOptions } from "./transfer/purge-job.js";
import { BulkChanges } from "./user-groups/bulk-changes.js";
import { UserGroupBulkEdits } from "./user-groups/bulk-edits.js";
import { ChangeFeed } from "./user-groups/change-feed.js";
import { Listing } from "./user-groups/listing.js";
import { PropertySchemas } from "./user-groups/property-schemas.js";
import { UserGroupReader } from "./user-groups/reader.js";
import { UserGroupService } from "./user-groups/service.js";
import { UserGroupUpserts } from "./user-groups/upserts.js";
import { UserGroupWatches } from "./user-groups/watches.js";
import { WebhookAttempts, WebhookSender } from "./webhooks/attempts.js";
import { WebhookDispatcher } from "./webhooks/dispatcher.js";
import { deliveryOptions, type WebhookOptions } from "./webhooks/options.js";
import { WebhookService } from "./webhooks/service.js";
import { WebhookTargets } from "./webhooks/targets.js";

/** The service layer shared by REST and GraphQL. */
export type Services = ReturnType<typeof createServices>;

export interface ServiceOptions {
  /** How long a rotated token can still be used to read. */
  readonly tokenGraceSeconds: number;
  /** Whether each embed session has an audit entry; all are counted. */
  readonly auditEmbedSessions: boolean;
  /** The address of this service: the issuer of session templates that use ES256 is below it. */
  readonly publicUrl?: string | undefined;
  readonly listen: ListenOptions;
  readonly eventStreams: EventStreamLimits;
  /** Addresses and networks of reverse proxies, which are not counted as clients. */
  readonly trustedProxies: readonly string[];
  readonly rateLimits: RateLimitOptions;
  readonly speed: SpeedOptions;
  readonly webhooks: WebhookOptions;
  readonly identityProvider?: IdentityProviderOptions | undefined;
  /** How long data is kept, besides pending webhooks. */
  readonly retention?: Partial<Retention>;
  readonly purges?: Partial<PurgeOptions>;
  readonly telemetry?: Telemetry;
}

/** Optimizations that benchmarks and tests can turn off. */
export interface SpeedOptions {
  /** Whether concurrent reads and writes are batched into one statement. */
  readonly batchStatements: boolean;
  /** How long a valid API key is cached, in milliseconds; 0 disables the cache. */
  readonly keyCacheMs: number;
}

export interface RateLimitOptions {
  readonly windowSeconds: number;
  /** Maximum cost units per window of an API key, a user group's front ends or an unauthenticated address; 0 disables the limit. */
  readonly maxCost: number;
  /** Maximum failed authentications per address and window; 0 disables the limit. */
  readonly maxAuthFailures: number;
  /** Limiters shared by all processes; undefined if each process counts alone. */
  readonly sharedLimiters: SharedLimiters | undefined;
}

export function createServices(database: Database, vault: TokenVault, options: ServiceOptions) {
  const accounts = new AccountService(database, vault);
  const retention = { ...DEFAULT_RETENTION, ...options.retention };
  const { batchStatements, keyCacheMs } = options.speed;
  const { telemetry = countOnly() } = options;
  const { metrics } = telemetry;
  const batching = { isOn: batchStatements, telemetry };
  const userGroupReader = new UserGroupReader(database, vault, batching);
  const notifications = new NotificationChannel(database, options.listen);
  const keys = new KeyCache(keyCacheMs, notifications, metrics.caches.apiKeys);
  const bulkChanges = new BulkChanges(database, vault);
  const changes = new ChangeFeed(notifications, metrics.publishedChanges);
  const keyWatch = new KeyWatch(database);
  const revocations = new KeyRevocations(keys, keyWatch, notifications);
  const usage = new Usage(database);
  const signingKeys = new SigningKeys(database, vault);
  const embedSessions = new EmbedSessions({
    db: database,
    vault,
    keys: signingKeys,
    batching,
    isAudited: options.auditEmbedSessions,
    created: metrics.embedSessions,
  });
  const listing = new Listing(database, batching);
  const propertySchemas = new PropertySchemas(database, batching);
  const templateKeys = new TemplateKeys(database, vault, options.publicUrl);
  const templateChecks = new TemplateChecks(listing, userGroupReader);
  const { windowSeconds, maxCost, maxAuthFailures, sharedLimiters } = options.rateLimits;
  const failures = { policy: "auth-failures", limit: maxAuthFailures, windowSeconds } as const;
  const limits = { policy: "requests", limit: maxCost, windowSeconds } as const;
  const targets = new WebhookTargets(options.webhooks);
  const webhooks = deliveryOptions(options.webhooks);
  const sender = new WebhookSender(targets, webhooks.attemptTimeoutMs);
  const attempts = new WebhookAttempts({ db: database, vault, sender, telemetry }, webhooks);
  const webhookDispatcher = new WebhookDispatcher(database, attempts, webhooks);
  return {
    access: new Access({
      db: database,
      vault,
      keys,
      reader: userGroupReader,
      embedSessions,
      usage,
      failures: new AuthFailures(new RateCounter(failures, sharedLimiters), metrics),
    }),
    accounts,
    apiKeys: new ApiKeyService(database, accounts, revocations),
    bulkChanges,
    auditLog: new AuditLog(database, retention.auditDays, usage),
    changes,
    consoleSessions: new ConsoleSessions(database, vault, notifications),
    dataSources: new DataSourceService(database, batching, changes),
    embedSessions,
    eventStreams: new EventStreams(options.eventStreams, options.trustedProxies, metrics),
    /** Undefined if people cannot sign in. */
    identityProvider: options.identityProvider && new IdentityProvider(options.identityProvider),
    idempotency: new Idempotency(database, vault),
    listing,
    groupHistoryDays: retention.groupHistoryDays,
    /** Notifications from other processes; closed by `changes`. */
    notifications,
    propertySchemas,
    rateLimits: new RateLimits(new RateCounter(limits, sharedLimiters), metrics),
    sessionTemplates: new SessionTemplates({
      db: database,
      vault,
      keys: templateKeys,
      checks: templateChecks,
      batching,
    }),
    signingKeys,
    siteConfigs: new SiteConfigService(database),
    siteConfigReader: new SiteConfigReader(database),
    userGroups: new UserGroupService({
      db: database,
      vault,
      reader: userGroupReader,
      changes,
      schemas: propertySchemas,
      tokenGraceSeconds: options.tokenGraceSeconds,
    }),
    userGroupReader,
    userGroupBulkEdits: new UserGroupBulkEdits(database, vault, changes, {
      bulkChanges,
      schemas: propertySchemas,
    }),
    userGroupUpserts: new UserGroupUpserts(database, vault, changes, propertySchemas),
    userGroupWatches: new UserGroupWatches({
      db: database,
      vault,
      changes,
      keyWatch,
      reader: userGroupReader,
      batching,
    }),
    webhooks: new WebhookService(database, vault, targets, webhookDispatcher),
    purgeJob: new PurgeJob(database, purgeList(vault, retention), metrics, options.purges),
    webhookDispatcher,
    /** Open WebSockets; each of their subscriptions also counts as an event stream. */
    webSockets: new EventStreams(options.eventStreams, options.trustedProxies, metrics, "WebSockets"),
    telemetry,
    templateChecks,
    templateKeys,
    templateSessions: new TemplateSessions({
      db: database,
      vault,
      keys: templateKeys,
      isAudited: options.auditEmbedSessions,
      created: metrics.embedSessions,
    }),
    usage,
    /** @throws DomainError `unavailable` when the database is unreachable */
    async checkReadiness() {
      // Raw SQL: no table is read.
      await database.run({ name: "readiness", access: "read", text: "SELECT 1 AS ready" }, []);
    },
  };
}
