import type { FastifyRequest } from "fastify";

/** Methods with their own label value; the others are grouped to bound the number of series. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Returns the method and the registered path of a request, as metrics and traces name them. */
export function labelsOf({ method, routeOptions }: FastifyRequest): {
  readonly method: string;
  readonly route: string;
} {
  return { method: METHODS.has(method) ? method : "other", route: routeLabel(routeOptions.url) };
}

/** Returns the registered path of a route without a trailing slash; "unknown" without a route. */
function routeLabel(url = "unknown"): string {
  return url.length > 1 && url.endsWith("/") ? url.slice(0, -1) : url;
}
