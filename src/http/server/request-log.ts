import type { FastifyInstance, FastifyRequest } from "fastify";
import { idsOf } from "../../telemetry/tracing.js";
import { isHealthCheck, isProbe } from "./request-facts.js";

const SECOND_MS = 1000;

/**
 * Logs each request. Successful ones are limited per second; the next line then contains the number of skipped ones.
 * @param successesPerSecond 0 logs no successful requests
 */
export function logReplies(app: FastifyInstance, successesPerSecond: number): void {
  let second = 0;
  let written = 0;
  let skipped = 0;
  app.addHook("onResponse", (request, reply, done) => {
    done();
    if (isHealthCheck(request)) return;
    const { statusCode: status } = reply;
    if (status < 400) {
      if (isProbe(request)) return;
      const now = Math.floor(performance.now() / SECOND_MS);
      if (now !== second) written = 0;
      second = now;
      written += 1;
      if (written > successesPerSecond) {
        skipped += 1;
        return;
      }
    }
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const { method, id: requestId, tenant, errorCode: code, span } = request;
    const line = {
      requestId,
      method,
      path: pathOf(request),
      route: request.routeOptions.url,
      status,
      code,
      ms,
      accountId: tenant?.accountId,
      keyId: tenant?.keyId,
      ...idsOf(span),
      ...(skipped > 0 ? { skipped } : {}),
    };
    app.log.info(line, "request");
    skipped = 0;
  });
}

/** Returns the path without the query string, which may contain secrets. */
function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "";
}
