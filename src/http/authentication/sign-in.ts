import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DomainError, reasonOf } from "../../domain/shared/errors.js";
import type { SessionPerson } from "../../services/authentication/console-sessions.js";
import type { IdentityProvider } from "../../services/authentication/identity-provider.js";
import type { Services } from "../../services/services.js";
import { consoleUrl, readParameter, setCookie } from "./console-request.js";
import { checkOrigin, readSession, SESSION_COOKIE, viewOf } from "./console-session.js";

const PATH = "/console/sign-in";
/** Lax: the provider sends the browser back with it. */
const SIGN_IN_COOKIE = { name: "user_groups_sign_in", sameSite: "lax", seconds: 600 } as const;
/** Roles that were just read, for example for another tab, are not read again. */
const ROLES_FRESH_MS = 60_000;
/** A route of the console, in the URL fragment. */
const ROUTE = /^#\/[\x21-\x7e]*$/;
const START = "#/";

/** Registers the routes by which people sign in to the console with OpenID Connect (decision 56). */
export function registerSignInRoutes(
  app: FastifyInstance,
  { access, consoleSessions, rateLimits }: Services,
  provider: IdentityProvider,
): void {
  // A link, also of another site, only opens the console: it knows whether somebody is signed in, and asks before another account replaces that.
  app.get(PATH, async (request, reply) => {
    const { route, account } = readTarget(request);
    return reply.redirect(`./#/sign-in?${new URLSearchParams({ route, ...(account && { account }) })}`);
  });

  app.post(PATH, { onRequest: checkOrigin }, async (request, reply) => {
    const isSilent = readParameter(request, "silent", /^true$/) !== undefined;
    const target = readTarget(request);
    await rateLimits.spend({ kind: "address", address: request.ip }, 1);
    const { url, pending } = await provider.start(`${consoleUrl(request)}sign-in/callback`, isSilent);
    const session = { keys: {}, signIn: { ...pending, ...target, isSilent } };
    const token = await consoleSessions.encrypt(session, SIGN_IN_COOKIE.seconds);
    reply.header("set-cookie", setCookie(request, SIGN_IN_COOKIE, token));
    return { sign_in_url: url.href };
  });

  app.get(`${PATH}/callback`, async (request, reply) => {
    const { signIn } = await readSession(consoleSessions, request, SIGN_IN_COOKIE);
    reply.header("set-cookie", setCookie(request, SIGN_IN_COOKIE, undefined));
    try {
      if (!signIn)
        throw new DomainError("unauthenticated", "The sign-in did not begin here, or has expired.");
      const { searchParams } = new URL(request.url, signIn.redirectUri);
      const identified = await access.limitFailures(request.ip, () =>
        provider.finish(request.ip, signIn, searchParams),
      );
      const { roles } = identified;
      const role = roles.find(({ account }) => account === (signIn.account ?? roles[0]?.account));
      if (!role) throw new DomainError("forbidden", "OIDC_ROLES gives this person no role in the account.");
      const begun = await consoleSessions.begin();
      const person = { ...identified, ...begun, account: role.account, rolesReadAt: Date.now() };
      await setSession(request, reply, person);
      return reply.redirect(`../${signIn.route}`);
    } catch (error) {
      return reply.redirect(`../${failureUrl(request, error, signIn?.isSilent)}${signIn?.route ?? START}`);
    }
  });

  app.post("/console/session/refresh", { onRequest: checkOrigin }, async (request, reply) => {
    const { person } = await readSession(consoleSessions, request);
    if (person && Date.now() - person.rolesReadAt < ROLES_FRESH_MS) return viewOf({ keys: {}, person });
    const token = person?.refreshToken;
    if (!person || token === undefined)
      throw new DomainError("unauthenticated", "There is no session that can be renewed.");
    const { id, account } = person;
    // Not limited by address: nobody can guess a session, and others behind the address must not delay it.
    const identified = await provider.refresh(id, token);
    if (identified.roles.some((role) => role.account === account))
      return setSession(request, reply, { ...person, ...identified, rolesReadAt: Date.now() });
    reply.header("set-cookie", setCookie(request, SESSION_COOKIE, undefined));
    throw new DomainError("forbidden", `You no longer have a role in the account ${account}.`);
  });

  async function setSession(request: FastifyRequest, reply: FastifyReply, person: SessionPerson) {
    const session = { keys: {}, person };
    reply.header("set-cookie", setCookie(request, SESSION_COOKIE, await consoleSessions.encrypt(session)));
    return viewOf(session);
  }
}

/** Reads the route that the console opens after a sign-in, and the account that the person chose, if any. */
function readTarget(request: FastifyRequest) {
  const account = readParameter(request, "account", /./);
  return { route: readParameter(request, "route", ROUTE) ?? START, account };
}

/** Logs why a sign-in failed. @returns the query string by which the console shows it @throws unexpected errors */
function failureUrl(request: FastifyRequest, error: unknown, isSilent = false): string {
  if (!(error instanceof DomainError) || error.code === "internal") throw error;
  const { code } = error;
  request.errorCode = code;
  request.log.warn({ requestId: request.id, code, reason: reasonOf(error) }, "sign-in failed");
  const shown = isSilent && code === "unauthenticated" ? "expired" : code;
  return `?${new URLSearchParams({ "sign-in": shown, request: request.id })}`;
}
