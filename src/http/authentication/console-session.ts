import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { DomainError } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import { parseText } from "../../domain/shared/text-field.js";
import {
  CONSOLE_SESSION_SECONDS,
  type ConsoleSession,
  type ConsoleSessions,
} from "../../services/authentication/console-sessions.js";
import type { Services } from "../../services/services.js";

/** Request header of the console. Browsers let other origins send it only after a CORS preflight, which these routes reject. */
const CONSOLE_HEADER = "x-console";
const PATH = "/console/session";
/** All sessions of the session's API keys, of every browser. */
const ALL_PATH = "/console/sessions";

/** Registers the routes that sign in to the console and out of it. */
export function registerSessionRoutes(app: FastifyInstance, { access, consoleSessions }: Services): void {
  app.get(PATH, async (request) => view(await readSession(consoleSessions, request)));

  app.post(PATH, { onRequest: checkOrigin }, async (request, reply) => {
    const { id: requestId, ip: address, deadline, body } = request;
    const secret = parseText(isObject(body) ? body["api_key"] : undefined, ["api_key"]);
    const { environment } = await access.authenticate(`Token ${secret}`, { requestId, address, deadline });
    const session = consoleSessions.addKey(await readSession(consoleSessions, request), secret);
    reply.header("set-cookie", sessionCookie(request, await consoleSessions.encrypt(session)));
    return { environment, ...view(session) };
  });

  app.delete(PATH, { onRequest: checkOrigin }, signOut);

  app.delete(ALL_PATH, { onRequest: checkOrigin }, async (request, reply) => {
    await consoleSessions.endAll(await readSession(consoleSessions, request));
    return signOut(request, reply);
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

async function checkOrigin(request: FastifyRequest): Promise<void> {
  requireSameOrigin(request);
}

async function signOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).header("set-cookie", sessionCookie(request, undefined)).send();
}

function view(session: ConsoleSession) {
  return { environments: Object.keys(session) };
}

/** Reads the session from a request's cookie; empty if there is none or it is invalid. */
async function readSession(sessions: ConsoleSessions, request: FastifyRequest): Promise<ConsoleSession> {
  const token = parseCookie(request.headers.cookie ?? "")[cookieName(request)];
  return (token && (await sessions.decrypt(token))) || {};
}

/** Renders the Set-Cookie header. @param token undefined deletes the cookie */
function sessionCookie(request: FastifyRequest, token: string | undefined): string {
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

/** The name of the session cookie. Over HTTPS its prefix keeps other hosts of the domain from setting it. */
function cookieName({ protocol }: FastifyRequest): string {
  return protocol === "https" ? "__Host-user_groups_session" : "user_groups_session";
}

/**
 * Checks that a request which is authenticated by a cookie comes from a page of this service (CSRF protection).
 * @throws DomainError `forbidden` if the header is missing or the browser names another origin
 */
function requireSameOrigin({ headers }: FastifyRequest): void {
  if (headers[CONSOLE_HEADER] === undefined) {
    throw new DomainError("forbidden", "Requests with a console session must have an X-Console header.");
  }
  if (isSameOrigin(headers)) return;
  throw new DomainError("forbidden", "A console session cannot be used from pages of another origin.");
}

function isSameOrigin({ "sec-fetch-site": site, origin, host }: FastifyRequest["headers"]): boolean {
  // Set by the browser; compares origins also if a proxy has changed the Host header.
  if (site !== undefined) return site === "same-origin";
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
