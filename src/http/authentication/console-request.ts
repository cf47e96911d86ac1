import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyRequest } from "fastify";
import { DomainError, invalidField } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";

const MAX_PARAMETER_LENGTH = 1000;
const CONSOLE_PATH = /^\/(?:[\w.~-]+\/)*console\/$/;

/** A cookie that scripts cannot read. */
export interface PrivateCookie {
  readonly name: string;
  /** Whether a page of another site may cause it to be sent: never, or when it sends the browser here. */
  readonly sameSite: "strict" | "lax";
  readonly seconds: number;
}

/** Returns a cookie's value in a request. */
export function readCookie(request: FastifyRequest, cookie: PrivateCookie): string | undefined {
  return parseCookie(request.headers.cookie ?? "")[nameOf(request, cookie)];
}

/** Renders the Set-Cookie header. @param value undefined deletes the cookie */
export function setCookie(request: FastifyRequest, cookie: PrivateCookie, value: string | undefined): string {
  return stringifySetCookie({
    name: nameOf(request, cookie),
    value: value ?? "",
    maxAge: value === undefined ? 0 : cookie.seconds,
    httpOnly: true,
    sameSite: cookie.sameSite,
    secure: request.protocol === "https",
    // The console and the APIs have no other common path, also below a path prefix of a proxy.
    path: "/",
  });
}

/** Parses a parameter of the query string; undefined if it is absent. @throws DomainError `invalid_field` */
export function readParameter({ query }: FastifyRequest, name: string, pattern: RegExp): string | undefined {
  const value = isObject(query) ? query[name] : undefined;
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length <= MAX_PARAMETER_LENGTH && pattern.test(value)) return value;
  throw invalidField([name], `must match ${pattern.source}, with at most ${MAX_PARAMETER_LENGTH} characters`);
}

/** Returns the console's URL in the browser. Only the browser knows its path, which a proxy may serve below a prefix. */
export function consoleUrl(request: FastifyRequest): string {
  const origin = `${request.protocol}://${request.host}`;
  if (!URL.canParse(origin)) throw new DomainError("bad_request", "The Host header is not valid.");
  return new URL(readParameter(request, "console", CONSOLE_PATH) ?? "/console/", origin).href;
}

/** Over HTTPS, the prefix keeps other hosts of the domain from setting the cookie. */
function nameOf({ protocol }: FastifyRequest, { name }: PrivateCookie): string {
  return protocol === "https" ? `__Host-${name}` : name;
}
