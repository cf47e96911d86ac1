import type { FastifyInstance, FastifyRequest } from "fastify";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { staleRoles } from "../../domain/authentication/role.js";
import { DomainError, reasonOf } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import { parseText } from "../../domain/shared/text-field.js";
import {
  CONSOLE_SESSION_SECONDS,
  type ConsoleSession,
  type ConsoleSessions,
  ROLES_VALID_MS,
  type SessionPerson,
} from "../../services/authentication/console-sessions.js";
import type { Services } from "../../services/services.js";
import { consoleUrl, type PrivateCookie, readCookie, setCookie } from "./console-request.js";

/** Request header of the console. Browsers let other origins send it only after a CORS preflight, which these routes reject. */
const CONSOLE_HEADER = "x-console";
const PATH = "/console/session";
export const SESSION_COOKIE = {
  name: "user_groups_session",
  sameSite: "strict",
  seconds: CONSOLE_SESSION_SECONDS,
} as const;
/** All sessions of the session's API keys or person, of every browser. */
const ALL_PATH = "/console/sessions";

/** Registers the routes that sign in to the console and out of it. */
export function registerSessionRoutes(
  app: FastifyInstance,
  { access, consoleSessions, identityProvider }: Services,
): void {
  app.get(PATH, async (request) => viewOf(await readSession(consoleSessions, request)));

  app.post(PATH, { onRequest: checkOrigin }, async (request, reply) => {
    const { id: requestId, ip: address, deadline, body } = request;
    const secret = parseText(isObject(body) ? body["api_key"] : undefined, ["api_key"]);
    const { environment } = await access.authenticate(`Token ${secret}`, { requestId, address, deadline });
    const session = await consoleSessions.addKey(await readSession(consoleSessions, request), secret);
    reply.header("set-cookie", setCookie(request, SESSION_COOKIE, await consoleSessions.encrypt(session)));
    return { environment, ...viewOf(session) };
  });

  for (const path of [PATH, ALL_PATH]) {
    app.delete(path, { onRequest: checkOrigin }, async (request, reply) => {
      const session = await readSession(consoleSessions, request);
      const { person } = session;
      const returnUrl = consoleUrl(request);
      await consoleSessions.end(session, path === ALL_PATH);
      reply.code(204).header("set-cookie", setCookie(request, SESSION_COOKIE, undefined));
      if (!person || !identityProvider) return;
      try {
        const url = await identityProvider.signOut(person.id, person.refreshToken, returnUrl);
        if (url !== null) return reply.code(200).send({ sign_out_url: url });
      } catch (error) {
        // Signed out here in any case.
        if (!(error instanceof DomainError)) throw error;
        request.log.warn({ requestId: request.id, reason: reasonOf(error) }, "provider did not sign out");
      }
    });
  }
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
    const { keys, person } = await readSession(sessions, request);
    if (environment && person) {
      request.role = { ...roleOf(person), environment };
      request.consoleSession = sessions.sessionOf(person);
      return;
    }
    const key = environment && keys[environment];
    if (!key)
      throw new DomainError(
        "unauthenticated",
        "There is no session for this environment, or it has expired.",
      );
    request.headers.authorization = `Token ${key.secret}`;
    request.consoleSession = sessions.sessionOf(key);
  }
}

/** @throws DomainError `unauthenticated` if the person's roles were read too long ago */
function roleOf({ id, name, account: accountName, roles, rolesReadAt }: SessionPerson) {
  const role = roles.find(({ account }) => account === accountName);
  const validUntil = new Date(rolesReadAt + ROLES_VALID_MS);
  if (!role || validUntil.getTime() <= Date.now()) throw staleRoles();
  return { accountName, scope: role.scope, person: { id, name, validUntil } };
}

/** A hook, before the body is read. @throws DomainError `forbidden` as `requireSameOrigin` does */
export async function checkOrigin(request: FastifyRequest): Promise<void> {
  requireSameOrigin(request);
}

/** Returns what the console shows of a session. */
export function viewOf({ keys, person }: ConsoleSession) {
  if (!person) return { environments: Object.keys(keys) };
  const { name, account, roles } = person;
  return {
    environments: ENVIRONMENTS,
    person: { name, account, accounts: roles.map((role) => role.account) },
  };
}

/**
 * Reads the session from a request's cookie; empty if there is none, it is invalid or was signed out.
 * @throws DomainError `unavailable` if sign-outs cannot be read
 */
export async function readSession(
  sessions: ConsoleSessions,
  request: FastifyRequest,
  cookie: PrivateCookie = SESSION_COOKIE,
): Promise<ConsoleSession> {
  const token = readCookie(request, cookie);
  return (token && (await sessions.open(token, request.deadline))) || { keys: {} };
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
