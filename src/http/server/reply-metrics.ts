import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../telemetry/metrics.js";

const MS_PER_S = 1000;
/** The methods that are told apart. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts replies by method, route and status. */
export function countReplies(app: FastifyInstance, { replies }: Metrics): void {
  app.addHook("onResponse", (request, reply, done) => {
    done();
    // How long somebody listened says nothing of how fast we are.
    if (request.isStream) return;
    replies
      .of(knownMethod(request.method), routeOf(request.routeOptions.url), String(reply.statusCode))
      .record(reply.elapsedTime / MS_PER_S);
  });
}

/** A word for each method, of which there may be any. */
export function knownMethod(method: string): string {
  return METHODS.has(method) ? method : "other";
}

/** The path of a route as it is registered, with or without a slash at its end; undefined leads nowhere. */
export function routeOf(url: string | undefined): string {
  if (url === undefined) return "unknown";
  return url.length > 1 && url.endsWith("/") ? url.slice(0, -1) : url;
}
