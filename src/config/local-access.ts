import type { AllowedOrigins } from "../graphql/server/sockets/allowed-origins.js";
import { isLoopback, LOOPBACK_ORIGIN } from "../http/pages/loopback.js";
import type { MetricsAccess } from "../http/server/service-routes.js";
import type { Config } from "./config.js";

/** Without a token, metrics are readable only from this machine. */
export function metricsAccess(config: Config): MetricsAccess {
  return { token: config.metricsToken, allowsLocalRequests: isForThisMachine(config) };
}

/** Returns the origins whose pages may call the GraphQL API: by default, those of a service for this machine only are this machine's. */
export function allowedOrigins(config: Config): AllowedOrigins {
  const { corsOrigins } = config;
  return corsOrigins.length === 0 && isForThisMachine(config) ? [LOOPBACK_ORIGIN] : corsOrigins;
}

/** A local proxy makes remote clients appear local: a service for this machine only expects none. */
function isForThisMachine({ host, databaseUrl, trustedProxies }: Config): boolean {
  return isLoopback(host) && databaseUrl === undefined && trustedProxies.length === 0;
}
