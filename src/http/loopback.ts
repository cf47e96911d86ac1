import type { FastifyRequest } from "fastify";

const LOOPBACK_ADDRESS = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/;
const LOOPBACK_AUTHORITY = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** Tells whether a host to listen on lets in this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || LOOPBACK_ADDRESS.test(host);
}

/**
 * Tells whether a request was made by somebody at this machine who opened a page: not through a proxy that says so, nor
 * under a foreign name that was made to lead here, nor by another page.
 */
export function isOpenedHere({ headers, socket, raw }: FastifyRequest): boolean {
  return (
    // No browser is that old, but some proxies that keep silent about themselves are.
    raw.httpVersion !== "1.0" &&
    LOOPBACK_ADDRESS.test(socket.remoteAddress ?? "") &&
    LOOPBACK_AUTHORITY.test(headers.host ?? "") &&
    // A page of an allowed origin could read the reply, and cannot but send its origin.
    headers.origin === undefined &&
    !Object.keys(headers).some((name) => FORWARDED.test(name))
  );
}
