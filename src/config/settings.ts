import { z } from "zod";
import { DEFAULT_RETENTION } from "../domain/shared/retention.js";
import { OTLP_PROTOCOLS, SAMPLER_NAMES } from "../telemetry/export/trace-settings.js";
import { GRAPHQL_SETTINGS, LIMIT_SETTINGS, WEBHOOK_SETTINGS } from "./limit-settings.js";
import {
  bearerToken,
  contactUri,
  encryptionKeys,
  flag,
  frameOrigins,
  httpUrl,
  issuerUrl,
  optionalWholeNumber,
  originList,
  pageUrl,
  postgresUrl,
  proxyList,
  ratio,
  roleRules,
  wholeNumber,
} from "./setting-types.js";

const MAX_DAYS = 36_500;
/** The database does not let the application role delete younger entries (policy `audit_entry_purge`). */
const MIN_AUDIT_DAYS = 30;
const MIN_GROUP_VERSIONS = 100;
const MAX_GROUP_VERSIONS = 1_000_000;
const GROUP_VERSIONS_RULE = `must be 0 or a whole number from ${MIN_GROUP_VERSIONS} to ${MAX_GROUP_VERSIONS}`;
const AUDIT_RULE = `must be 0 or a whole number from ${MIN_AUDIT_DAYS} to ${MAX_DAYS}`;

/** How long data is kept. */
const RETENTION_SETTINGS = {
  PURGE: flag(true).describe(
    "remove expired data in this process, once an hour ([guide](data-protection.md#retention))",
  ),
  RETAIN_AUDIT_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.auditDays)
    .refine((days) => days === 0 || days >= MIN_AUDIT_DAYS, AUDIT_RULE)
    .describe(
      `days for which audit log entries and counts of embed sessions and requests are kept, at least ${MIN_AUDIT_DAYS}; \`0\` keeps them forever`,
    ),
  AUDIT_EMBED_SESSIONS: flag(false).describe("write an audit log entry for each embed session, too"),
  RETAIN_DELETED_GROUP_NAME_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.deletedGroupNameDays).describe(
    "days after the deletion of a user group until a pseudonym replaces its external ID in the audit log; `0` never replaces it",
  ),
  RETAIN_GROUP_HISTORY_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.groupHistoryDays).describe(
    "days for which [former values](data-protection.md#retention) of user groups are kept after a change; `0` keeps none",
  ),
  RETAIN_GROUP_VERSIONS: wholeNumber(0, MAX_GROUP_VERSIONS, DEFAULT_RETENTION.groupVersions)
    .refine((count) => count === 0 || count >= MIN_GROUP_VERSIONS, GROUP_VERSIONS_RULE)
    .describe(
      `number of newest former values kept of each user group, at least ${MIN_GROUP_VERSIONS}, besides those of the last day; \`0\` keeps all until \`RETAIN_GROUP_HISTORY_DAYS\``,
    ),
  RETAIN_WEBHOOK_DELIVERY_DAYS: wholeNumber(1, 400, DEFAULT_RETENTION.webhookDeliveryDays).describe(
    "days for which webhook deliveries are kept; pending ones first expire after `WEBHOOK_PENDING_MAX_DAYS`",
  ),
  RETAIN_API_KEY_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.apiKeyDays).describe(
    "days for which API keys are listed after they were revoked or expired; `0` keeps them forever",
  ),
  RETAIN_SITE_CONFIG_REVISIONS: wholeNumber(0, 1_000_000, DEFAULT_RETENTION.siteConfigRevisions).describe(
    "number of newest revisions kept of each site configuration; `0` keeps all",
  ),
  RETAIN_DELETED_SITE_CONFIG_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.deletedSiteConfigDays).describe(
    "days after the deletion of a site configuration until its revisions are deleted; `0` keeps them forever",
  ),
} as const;

/** The settings by section: environment variables with their defaults and descriptions. */
export const SETTING_SECTIONS = {
  Network: {
    HOST: z.string().default("127.0.0.1").describe("address to listen on"),
    PORT: wholeNumber(0, 65_535, 4000).describe("port; `0` for any free port"),
    SHUTDOWN_DELAY_MS: optionalWholeNumber(0, 600_000).describe(
      "delay at shutdown between `/readyz` failing and the end of accepting connections, longer than your load balancer takes to notice; by default `5000` with `DATABASE_URL`, otherwise `0`",
    ),
    REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000, 15_000).describe(
      "request timeout, after which the reply is 503; the time to receive the body does not count, and event streams are exempt",
    ),
    TRUSTED_PROXIES: proxyList().describe(
      "addresses and networks of your proxies; `X-Forwarded-For` is trusted from these only",
    ),
    SECURITY_CONTACT: contactUri().describe(
      "where to report vulnerabilities of this deployment, such as `mailto:security@example.com`; served as `/.well-known/security.txt`, which does not exist if unset",
    ),
    CONSOLE: flag(true).describe("serve the [console](console.md) at `/console`"),
    PUBLIC_URL: issuerUrl("https://groups.example.com").describe(
      "https address under which dashboard tools reach this service, such as `https://groups.example.com`: tokens of [session templates](integrations.md) with ES256 name an issuer below it, where their keys are published",
    ),
    PREVIEW_URL: pageUrl().describe(
      "page of your product that the console opens with an embed session in the fragment, as `#embed_session=…` ([guide](console-preview.md#preview)); browsers that open the console can read the setting",
    ),
    FRAME_ORIGINS: frameOrigins().describe(
      "origins of dashboard tools that the console may show in frames, such as `https://bi.example.com`, to open a tool [as a customer](console-preview.md#open-a-dashboard-tool-as-a-customer); browsers that open the console can read the setting",
    ),
    API_DOCS: flag(true).describe(
      "serve the REST API documentation at `/api/docs`; `/openapi.json` is always served",
    ),
    DOCS: flag(true).describe("serve this documentation at `/docs`, once `npm run docs:build` has built it"),
    CORS_ORIGINS: originList().describe(
      "origins whose pages may call the GraphQL API, also over WebSockets, or `*`; if unset, none, or those of this machine, such as `http://localhost:5173`, while the service runs an embedded PostgreSQL and listens on a loopback address",
    ),
  },
  Database: {
    DATABASE_URL: postgresUrl().describe(
      "PostgreSQL 14 to 18, such as `postgres://user:password@host:5432/database`; if unset, the service starts an embedded PostgreSQL",
    ),
    DATABASE_MIGRATION_URL: postgresUrl().describe(
      "the same database with the owner role, for migrations, so that `DATABASE_URL` can name an application role that is subject to row-level security; if unset, `DATABASE_URL` is used for both",
    ),
    DATABASE_POOLED: z
      .enum(["true", "false", "1", "0", "prepared"], "must be true, false or prepared")
      .transform((value) => (value === "prepared" ? value : value === "true" || value === "1"))
      .default(false)
      .describe(
        "set it when `DATABASE_URL` points to a transaction-mode pooler: `prepared` for PgBouncer 1.21 or later with `max_prepared_statements` above 0, its default since 1.24; `true` for others, which disables prepared statements",
      ),
    DATABASE_LISTEN_URL: postgresUrl().describe(
      "the same database without the pooler, for LISTEN; without it, subscriptions behind a pooler do not work, and a key that another process revokes works for half a second",
    ),
    DATABASE_POOL_SIZE: wholeNumber(1, 1000, 10).describe(
      "maximum number of connections to PostgreSQL; a hundred times as many requests wait for one, half of them for one account, and further ones get 503",
    ),
    DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(100, 600_000, 5000).describe("maximum wait for a connection"),
    DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000, 10_000).describe(
      "statement timeout, half of it for [searches](limits.md#database) and locks, all of it for idle transactions; the service waits a second longer for the reply",
    ),
    MIGRATION_RETRY_MS: wholeNumber(0, 86_400_000, 120_000).describe(
      "time for which a migration that cannot get its locks is retried; then `migrate up`, or the start, fails",
    ),
  },
  "Secrets and data": {
    DATA_DIR: z
      .string()
      .default(".data")
      .describe("directory of the embedded PostgreSQL and of generated secrets (mode 600); back it up"),
    ENCRYPTION_KEYS: encryptionKeys().describe(
      "keys that encrypt user group tokens: the first one encrypts, all of them decrypt. Replicas need the same keys. If unset, a key is generated and stored in `DATA_DIR`",
    ),
    TOKEN_GRACE_SECONDS: wholeNumber(0, 2_592_000, 0).describe(
      "time for which a rotated token can still read over GraphQL",
    ),
  },
  "Console sign-in": {
    OIDC_ISSUER: issuerUrl().describe(
      "OpenID Connect provider whose people may sign in to the [console](console-sign-in.md#let-people-sign-in), such as `https://login.example.com`; requires `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET` and `OIDC_ROLES`",
    ),
    OIDC_CLIENT_ID: z.string().optional().describe("ID of this service at the provider"),
    OIDC_CLIENT_SECRET: z.string().optional().describe("secret of this service at the provider"),
    OIDC_ROLES: roleRules().describe(
      "comma-separated roles `claim:value=account:scope`, such as `groups:support=demo:embed`; the highest scope in an account applies",
    ),
    OIDC_SCOPE: z
      .string()
      .regex(/^(?:\S+ )*openid(?: \S+)*$/, "must be scopes separated by a space, with openid")
      .default("openid email profile")
      .describe("scopes to ask the provider for, such as those of the claims in `OIDC_ROLES`"),
    OIDC_TRUST_EMAIL: flag(false).describe(
      "let e-mail addresses in `OIDC_ROLES` count if the provider does not send `email_verified`; set it only if nobody can choose their address there. An address that the provider marks as unverified never counts",
    ),
  },
  Limits: LIMIT_SETTINGS,
  GraphQL: GRAPHQL_SETTINGS,
  Webhooks: WEBHOOK_SETTINGS,
  Retention: RETENTION_SETTINGS,
  Log: {
    LOG_LEVEL: z
      .enum(["debug", "info", "warn", "error", "silent"], "must be one of debug, info, warn, error, silent")
      .default("info")
      .describe("minimum level of log lines, which are JSON on stderr"),
    LOG_SUCCESSES_PER_SECOND: wholeNumber(0, 1_000_000, 100).describe(
      "maximum number of log lines about successful requests per second; the next line has the number of `skipped` ones. Failures are always logged",
    ),
  },
  Observability: {
    METRICS_TOKEN: bearerToken().describe(
      "bearer token for `/metrics`; if unset, only the local machine can read it, and only without `DATABASE_URL`, `TRUSTED_PROXIES` and a public `HOST` ([guide](observability.md))",
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().describe(
      "trace collector, such as `http://127.0.0.1:4318`; if unset, tracing is off. OpenTelemetry's [other variables](observability.md#traces) apply, too",
    ),
    OTEL_EXPORTER_OTLP_PROTOCOL: z
      .enum(OTLP_PROTOCOLS, `must be one of ${OTLP_PROTOCOLS.join(", ")}`)
      .default("http/protobuf")
      .describe("protocol for the collector"),
    OTEL_TRACES_SAMPLER: z
      .enum(SAMPLER_NAMES, `must be one of ${SAMPLER_NAMES.join(", ")}`)
      .default("parentbased_always_on")
      .describe("sampler that selects the requests to trace"),
    OTEL_TRACES_SAMPLER_ARG: ratio(1).describe("ratio of requests that `traceidratio` samples"),
  },
} as const;

export const settings = z.object({
  ...SETTING_SECTIONS.Network,
  ...SETTING_SECTIONS.Database,
  ...SETTING_SECTIONS["Secrets and data"],
  ...SETTING_SECTIONS["Console sign-in"],
  ...SETTING_SECTIONS.Limits,
  ...SETTING_SECTIONS.GraphQL,
  ...SETTING_SECTIONS.Webhooks,
  ...SETTING_SECTIONS.Retention,
  ...SETTING_SECTIONS.Log,
  ...SETTING_SECTIONS.Observability,
});
