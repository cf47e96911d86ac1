import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../telemetry/metrics.js";

const MS_PER_S = 1000;
/** Methods with their own label value. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Records reply durations by method, route and status. */
export function countReplies(app: FastifyInstance, { replies }: Metrics): void {
  app.addHook("onResponse", (request, reply, done) => {
    done();
    // The duration of an event stream says nothing about latency.
    if (request.isStream) return;
    const method = methodLabel(request.method);
    const route = routeLabel(request.routeOptions.url);
    replies.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / MS_PER_S);
  });
}

/** Returns the label value of a method; unknown methods are grouped to bound the number of series. */
export function methodLabel(method: string): string {
  return METHODS.has(method) ? method : "other";
}

/** Returns the registered path of a route without a trailing slash; "unknown" without a route. */
export function routeLabel(url: string | undefined): string {
  if (url === undefined) return "unknown";
  return url.length > 1 && url.endsWith("/") ? url.slice(0, -1) : url;
}
