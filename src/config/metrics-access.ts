import { isLoopback } from "../http/pages/loopback.js";
import type { MetricsAccess } from "../http/server/metrics-route.js";
import type { Config } from "./config.js";

/** A proxy at this machine need not say that it is one: without a token, metrics are read only where none is expected. */
export function metricsAccess(
  config: Pick<Config, "metricsToken" | "host" | "databaseUrl" | "trustedProxies">,
): MetricsAccess {
  const { metricsToken, host, databaseUrl, trustedProxies } = config;
  return {
    token: metricsToken,
    isOpenHere: isLoopback(host) && databaseUrl === undefined && trustedProxies.length === 0,
  };
}
