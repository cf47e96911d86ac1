import type { Config } from "../config/config.js";
import type { ServiceOptions } from "../services/services.js";
import type { Storage } from "./storage.js";

const DAY_MS = 86_400_000;
const RATE_LIMIT_WINDOW_S = 60;
/** A revoked key works for so long if its notification is lost. */
const KEY_CACHE_MS = 500;

/** Options that do not come from the settings. */
interface ProcessParts extends Pick<ServiceOptions, "telemetry"> {
  readonly sharedLimiters?: ServiceOptions["rateLimits"]["sharedLimiters"];
}

/** Returns the options of the services according to the settings. */
export function serviceOptions(
  config: Config,
  { listenTarget }: Pick<Storage, "listenTarget">,
  { sharedLimiters, telemetry }: ProcessParts = {},
): ServiceOptions {
  return {
    tokenGraceSeconds: config.tokenGraceSeconds,
    auditEmbedSessions: config.auditEmbedSessions,
    publicUrl: config.publicUrl,
    listen: { target: listenTarget, connectTimeoutMs: config.databaseConnectTimeoutMs },
    eventStreams: config.eventStreams,
    trustedProxies: config.trustedProxies,
    rateLimits: {
      windowSeconds: RATE_LIMIT_WINDOW_S,
      maxCost: config.rateLimit,
      maxAuthFailures: config.authFailureLimit,
      sharedLimiters,
    },
    speed: { batchStatements: true, keyCacheMs: KEY_CACHE_MS },
    webhooks: {
      allowPrivate: config.webhookAllowPrivate,
      slots: config.webhookSlots,
      breaker: { disableAfterMs: config.webhookDisableAfterDays * DAY_MS },
    },
    identityProvider: config.identityProvider,
    retention: config.retention,
    ...(telemetry && { telemetry }),
  };
}
