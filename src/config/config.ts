import type { z } from "zod";
import { eventStreamLimits } from "../domain/requests/event-stream-limits.js";
import { OperatorError } from "../domain/shared/operator-error.js";
import { DEFAULT_LIMITS } from "../graphql/shared/operation-limits.js";
import { DEFAULT_CONNECTION_LIMITS } from "../http/server/connections.js";
import type { IdentityProviderOptions } from "../services/authentication/identity-provider.js";
import type { TraceSettings } from "../telemetry/export/trace-settings.js";
import { settings } from "./settings.js";

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Validated settings in camel case; some are also grouped by consumer. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/**
 * Reads the settings from the environment; an empty variable counts as unset.
 * @throws OperatorError that names every invalid setting, but not its value, which may be a secret
 */
export function readConfig(environment: ProcessEnvironment) {
  const variables = Object.entries(environment).filter(([, value]) => value !== undefined && value !== "");
  const result = settings.safeParse(Object.fromEntries(variables));
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
    throw new OperatorError(`Invalid settings: ${problems.join("; ")}.`);
  }
  const read = result.data;
  return {
    ...toCamelCase(read),
    shutdownDelayMs: read.SHUTDOWN_DELAY_MS ?? defaultShutdownDelayMs(read),
    eventStreams: eventStreamLimits(read.EVENT_STREAMS_PER_PROCESS),
    connectionLimits: {
      ...DEFAULT_CONNECTION_LIMITS,
      maxConnections: read.MAX_CONNECTIONS,
      maxConnectionsPerAddress: Math.ceil(read.MAX_CONNECTIONS / 4),
      receiveTimeoutMs: read.REQUEST_RECEIVE_TIMEOUT_MS,
      stallTimeoutMs: read.STALLED_CONNECTION_TIMEOUT_MS,
    },
    graphqlLimits: { ...DEFAULT_LIMITS, cost: read.GRAPHQL_MAX_COST },
    webhookSlots: {
      total: read.WEBHOOK_CONCURRENCY,
      perAccount: Math.ceil(read.WEBHOOK_CONCURRENCY / 3),
      perEndpoint: read.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
    },
    retention: {
      auditDays: read.RETAIN_AUDIT_DAYS,
      deletedGroupNameDays: read.RETAIN_DELETED_GROUP_NAME_DAYS,
      groupHistoryDays: read.RETAIN_GROUP_HISTORY_DAYS,
      groupVersions: read.RETAIN_GROUP_VERSIONS,
      webhookDeliveryDays: read.RETAIN_WEBHOOK_DELIVERY_DAYS,
      pendingWebhookDays: read.WEBHOOK_PENDING_MAX_DAYS,
      apiKeyDays: read.RETAIN_API_KEY_DAYS,
      siteConfigRevisions: read.RETAIN_SITE_CONFIG_REVISIONS,
      deletedSiteConfigDays: read.RETAIN_DELETED_SITE_CONFIG_DAYS,
    },
    identityProvider: identityProviderOf(read),
    traces: tracesOf(read),
  };
}

/** Longer than two checks of the load balancers in docs/deployment.md take. */
const SHUTDOWN_DELAY_MS = 5_000;

/** Nothing is in front of a service with the embedded database, which is often stopped by Ctrl+C. */
function defaultShutdownDelayMs({ DATABASE_URL: url }: z.infer<typeof settings>): number {
  return url === undefined ? 0 : SHUTDOWN_DELAY_MS;
}

/** @returns undefined when people cannot sign in */
function identityProviderOf(read: z.infer<typeof settings>): IdentityProviderOptions | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = read;
  const { OIDC_ROLES: roles, OIDC_SCOPE: scope, OIDC_TRUST_EMAIL: trustsEmail } = read;
  if (issuer && clientId && clientSecret && roles)
    return { issuer, clientId, clientSecret, roles, scope, trustsEmail };
  if (!(issuer ?? clientId ?? clientSecret ?? roles)) return undefined;
  throw new OperatorError(
    "Invalid settings: OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_ROLES must be set together.",
  );
}

/** @returns undefined when tracing is off */
function tracesOf(read: z.infer<typeof settings>): TraceSettings | undefined {
  const endpoint = read.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    protocol: read.OTEL_EXPORTER_OTLP_PROTOCOL,
    sampler: read.OTEL_TRACES_SAMPLER,
    ratio: read.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** `DATABASE_POOL_SIZE` becomes `databasePoolSize`. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

function toCamelCase<Read extends object>(
  read: Read,
): { readonly [Name in keyof Read & string as CamelCase<Name>]: Read[Name] } {
  const result = Object.create(null);
  // Over all settings, so that unset ones are present with the value undefined.
  for (const name of Object.keys(settings.shape)) {
    const camelCase = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    result[camelCase] = Reflect.get(read, name);
  }
  return result;
}
