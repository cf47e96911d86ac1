import type { FastifyInstance, FastifyRequest } from "fastify";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import { originOf } from "../../graphql/server/callers.js";
import type { Services } from "../../services/services.js";
import type { Metrics } from "../../telemetry/metrics.js";

const PATH = "/console/status";
/** The routes of the APIs, as opposed to pages, assets and probes. */
const API_ROUTE = /^\/(?:api\/(?!docs)|graphql$|site-config\/)/;

/**
 * Registers the route with the request counts of this process, for the console's overview. They include other accounts, so the route
 * requires admin scope.
 * @param openSession sets the Authorization header from the console's session
 */
export function registerProcessStatus(
  app: FastifyInstance,
  { access, telemetry }: Services,
  openSession: (request: FastifyRequest) => Promise<void> | undefined,
): void {
  app.get(PATH, async (request) => {
    await openSession(request);
    requireAdmin(await access.authenticate(request.headers.authorization, originOf(request)));
    return statusOf(telemetry.metrics);
  });
}

async function statusOf({ replies, errors }: Metrics) {
  const counts = { requests: 0, client_errors: 0, server_errors: 0 };
  for (const { metricName, labels, value } of (await replies.get()).values) {
    if (!metricName?.endsWith("_count") || !API_ROUTE.test(String(labels.route))) continue;
    const status = Number(labels.status);
    counts.requests += value;
    if (status >= 500) counts.server_errors += value;
    else if (status >= 400) counts.client_errors += value;
  }
  const byCode = new Map<string, number>();
  for (const { labels, value } of (await errors.get()).values) {
    const code = String(labels.code);
    byCode.set(code, (byCode.get(code) ?? 0) + value);
  }
  return {
    uptime_seconds: Math.round(process.uptime()),
    ...counts,
    errors: [...byCode]
      .filter(([, count]) => count > 0)
      .sort(([, one], [, other]) => other - one)
      .map(([code, count]) => ({ code, count })),
  };
}
