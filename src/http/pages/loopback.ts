import type { FastifyRequest } from "fastify";

const LOOPBACK_ADDRESS = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/;
const LOOPBACK_AUTHORITY = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;
/** The headers by which proxies, load balancers and content delivery networks name the client or themselves. */
const FORWARDED =
  /^(?:forwarded|via|cdn-loop|(?:true|fastly|fly|x|x-cluster)-client-ip|x-(?:real|remote|proxyuser)-ip|x-(?:forwarded|original|envoy|amzn|amz-cf|azure|arr|appengine|vercel|nf|cloud-trace)-.*|(?:cf|fly|fastly|akamai|x-akamai)-.*)$/;
/** A browser sends none of the other values for an address that its user typed, or a page of ours. */
const OPENED_DIRECTLY: readonly unknown[] = [undefined, "none", "same-origin"];

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
    OPENED_DIRECTLY.includes(headers["sec-fetch-site"]) &&
    // A target such as http://evil.example/graphql is meant for a proxy.
    raw.url?.startsWith("/") === true &&
    !Object.keys(headers).some((name) => FORWARDED.test(name))
  );
}
