import type { FastifyRequest } from "fastify";

const LOOPBACK_ADDRESS = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/;
const AUTHORITY = String.raw`(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?`;
const LOOPBACK_AUTHORITY = new RegExp(`^${AUTHORITY}$`, "i");
/** The origin of a page that this machine serves, on any port. */
export const LOOPBACK_ORIGIN = new RegExp(`^https?://${AUTHORITY}$`);
/** Request headers that proxies, load balancers and content delivery networks add. */
const PROXY_HEADERS =
  /^(?:forwarded|via|cdn-loop|(?:true|fastly|fly|x|x-cluster)-client-ip|x-(?:real|remote|proxyuser)-ip|x-(?:forwarded|original|envoy|amzn|amz-cf|azure|arr|appengine|vercel|nf|cloud-trace)-.*|(?:cf|fly|fastly|akamai|x-akamai)-.*)$/;
/** The values of Sec-Fetch-Site that browsers send for a typed address or a page of the same origin. */
const DIRECT_FETCH_SITES: readonly unknown[] = [undefined, "none", "same-origin"];

/** Returns whether a listen address is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || LOOPBACK_ADDRESS.test(host);
}

/**
 * Returns whether a request comes directly from a browser on this machine: not through a proxy that identifies itself, not under a
 * foreign host name (DNS rebinding), and not from a page of another origin.
 */
export function isDirectLocalRequest({ headers, socket, raw }: FastifyRequest): boolean {
  return (
    // Browsers do not use HTTP/1.0, but some proxies that add no headers do.
    raw.httpVersion !== "1.0" &&
    LOOPBACK_ADDRESS.test(socket.remoteAddress ?? "") &&
    LOOPBACK_AUTHORITY.test(headers.host ?? "") &&
    // A page of an allowed CORS origin could read the reply, and always sends its origin.
    headers.origin === undefined &&
    DIRECT_FETCH_SITES.includes(headers["sec-fetch-site"]) &&
    // Absolute-form targets such as http://evil.example/graphql are addressed to a proxy.
    raw.url?.startsWith("/") === true &&
    !Object.keys(headers).some((name) => PROXY_HEADERS.test(name))
  );
}
