import { isLoopback } from "../http/pages/loopback.js";
import type { MetricsAccess } from "../http/server/service-routes.js";
import type { Config } from "./config.js";

/** A local proxy makes remote clients appear local: without a token, metrics are readable only where no proxy is expected. */
export function metricsAccess(
  config: Pick<Config, "metricsToken" | "host" | "databaseUrl" | "trustedProxies">,
): MetricsAccess {
  const { metricsToken, host, databaseUrl, trustedProxies } = config;
  return {
    token: metricsToken,
    allowsLocalRequests: isLoopback(host) && databaseUrl === undefined && trustedProxies.length === 0,
  };
}
