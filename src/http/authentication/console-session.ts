import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyRequest } from "fastify";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { CONSOLE_SESSION_SECONDS, type ConsoleSession } from "../../domain/authentication/console-session.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { ConsoleSessions } from "../../services/authentication/console-sessions.js";
import { CONSOLE_HEADER, requireSameOrigin } from "./same-origin.js";

/** Reads the session from a request's cookie; empty if there is none or it is invalid. */
export async function readSession(
  sessions: ConsoleSessions,
  request: FastifyRequest,
): Promise<ConsoleSession> {
  const token = parseCookie(request.headers.cookie ?? "")[cookieName(request)];
  return (token && (await sessions.decrypt(token))) || {};
}

/** Renders the Set-Cookie header. @param token undefined deletes the cookie */
export function sessionCookie(request: FastifyRequest, token: string | undefined): string {
  return stringifySetCookie({
    name: cookieName(request),
    value: token ?? "",
    maxAge: token === undefined ? 0 : CONSOLE_SESSION_SECONDS,
    httpOnly: true,
    sameSite: "strict",
    secure: request.protocol === "https",
    // The console and the APIs have no other common path, also below a path prefix of a proxy.
    path: "/",
  });
}

/**
 * Creates the function that authenticates requests of the console: those with an `X-Console` header, which names the environment, and
 * without an Authorization header. It sets the Authorization header from the session.
 * @throws DomainError `unauthenticated` without a key for the environment; `forbidden` as `requireSameOrigin` does
 */
export function sessionOpener(
  sessions: ConsoleSessions,
): (request: FastifyRequest) => Promise<void> | undefined {
  return (request) => {
    const { [CONSOLE_HEADER]: name, authorization } = request.headers;
    return name === undefined || authorization !== undefined ? undefined : open(request, name);
  };

  async function open(request: FastifyRequest, name: string | string[]): Promise<void> {
    requireSameOrigin(request);
    const environment = ENVIRONMENTS.find((each) => each === name);
    const key = environment && (await readSession(sessions, request))[environment];
    if (!key)
      throw new DomainError(
        "unauthenticated",
        "There is no session for this environment, or it has expired.",
      );
    request.headers.authorization = `Token ${key.secret}`;
    request.signedInAt = key.signedInAt;
  }
}

/** The name of the session cookie. Over HTTPS its prefix keeps other hosts of the domain from setting it. */
function cookieName({ protocol }: FastifyRequest): string {
  return protocol === "https" ? "__Host-user_groups_session" : "user_groups_session";
}
