import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ConsoleSession } from "../../domain/authentication/console-session.js";
import { isObject } from "../../domain/shared/json.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { Services } from "../../services/services.js";
import { readSession, sessionCookie } from "./console-session.js";
import { requireSameOrigin } from "./same-origin.js";

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

async function checkOrigin(request: FastifyRequest): Promise<void> {
  requireSameOrigin(request);
}

async function signOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).header("set-cookie", sessionCookie(request, undefined)).send();
}

function view(session: ConsoleSession) {
  return { environments: Object.keys(session) };
}
