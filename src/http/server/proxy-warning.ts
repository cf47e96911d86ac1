import type { FastifyInstance } from "fastify";

/**
 * Warns, once, when a proxy names the client's address and no proxy is trusted: then limits count all clients as one.
 * Anybody can send such a header, so it is not proof of a proxy.
 */
export function warnOfUntrustedProxy(app: FastifyInstance): void {
  let isReported = false;
  app.addHook("onRequest", ({ headers, socket }, _reply, done) => {
    if (!isReported && (headers["x-forwarded-for"] ?? headers.forwarded) !== undefined) {
      isReported = true;
      app.log.warn(
        { address: socket.remoteAddress },
        "a request has X-Forwarded-For or Forwarded, but TRUSTED_PROXIES is empty: if this address is a proxy, set TRUSTED_PROXIES to it; until then all of its clients share one address in rate limits and the limit of failed authentications",
      );
    }
    done();
  });
}
