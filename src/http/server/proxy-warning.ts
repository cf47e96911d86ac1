import type { FastifyInstance } from "fastify";

/**
 * Warns once if a request has a proxy header but no proxy is trusted: limits would then treat all clients as one.
 * The header does not prove that there is a proxy, because any client can send it.
 */
export function warnAboutUntrustedProxy(app: FastifyInstance): void {
  let isReported = false;
  app.addHook("onRequest", ({ headers, socket }, _reply, done) => {
    if (!isReported && (headers["x-forwarded-for"] ?? headers.forwarded) !== undefined) {
      isReported = true;
      app.log.warn(
        { address: socket.remoteAddress },
        "received X-Forwarded-For or Forwarded, but TRUSTED_PROXIES is empty: if this address is a proxy, add it to TRUSTED_PROXIES; until then, all clients of the proxy share its per-address limits",
      );
    }
    done();
  });
}
