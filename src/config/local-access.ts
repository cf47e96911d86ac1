import type { AllowedOrigins } from "../graphql/server/sockets/handler.js";
import { isLoopback } from "../http/pages/loopback.js";
import type { MetricsAccess } from "../http/server/service-routes.js";
import type { Config } from "./config.js";

type AccessSettings = Pick<
  Config,
  "corsOrigins" | "metricsToken" | "host" | "databaseUrl" | "trustedProxies"
>;

/** Origins of pages that this machine serves, on any port. */
const LOCAL_ORIGINS = [/^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/];

/** Without a token, metrics are readable only from this machine. */
export function metricsAccess(settings: AccessSettings): MetricsAccess {
  return { token: settings.metricsToken, allowsLocalRequests: isForThisMachine(settings) };
}

/** Returns the origins whose pages may call the GraphQL API: by default, those of a service for this machine only are this machine's. */
export function allowedOrigins(settings: AccessSettings): AllowedOrigins {
  const { corsOrigins } = settings;
  return corsOrigins.length === 0 && isForThisMachine(settings) ? LOCAL_ORIGINS : corsOrigins;
}

/** A local proxy makes remote clients appear local: a service for this machine only expects none. */
function isForThisMachine({ host, databaseUrl, trustedProxies }: AccessSettings): boolean {
  return isLoopback(host) && databaseUrl === undefined && trustedProxies.length === 0;
}
