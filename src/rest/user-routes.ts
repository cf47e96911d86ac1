import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Caller } from "../domain/caller.js";
import { rateLimitHeaders } from "../domain/rate-limit-headers.js";
import { requireWrite } from "../services/access.js";
import type { Services } from "../services/services.js";
import { refuseOtherMethods } from "./method-refusal.js";
import {
  parseBody,
  parseChanges,
  parseDeletion,
  parseNewUserGroup,
  parseProvidedId,
  parseTokenToRotate,
} from "./user-requests.js";
import { deleteView, getView, postView, putView } from "./user-views.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the routes of `/api/user` once the API key was verified. */
    restCaller: Caller | null;
  }
}

/** Decision 12. */
const BODY_LIMIT = 256 * 1024;
const METHODS = ["GET", "PUT", "POST", "DELETE"];
const PATHS = ["/api/user", "/api/user/"];

type Handler = (caller: Caller, body: Readonly<Record<string, unknown>>) => Promise<object>;

/** Registers the four methods of `/api/user` (interface, part 4). The app must let GET have a body. */
export function registerUserRoutes(app: FastifyInstance, services: Services): void {
  const { access, rateLimits, userGroups, userGroupReader } = services;

  const handlers: Readonly<Record<string, Handler>> = {
    async GET(caller, body) {
      const describe = () => parseNewUserGroup(body);
      const { userGroup, created } = await userGroups.getOrCreate(caller, parseProvidedId(body), describe);
      return getView(userGroup, userGroupReader.tokenOf(userGroup), created);
    },
    async PUT(caller, body) {
      const writer = requireWrite(caller);
      const ref = { by: "providedId", providedId: parseProvidedId(body) } as const;
      const group = await userGroups.update(writer, ref, parseChanges(body));
      return putView(group, userGroupReader.tokenOf(group));
    },
    async POST(caller, body) {
      const writer = requireWrite(caller);
      const group = await userGroups.rotateToken(writer, parseTokenToRotate(body));
      return postView(group, userGroupReader.tokenOf(group));
    },
    async DELETE(caller, body) {
      const writer = requireWrite(caller);
      const { currentToken, expected } = parseDeletion(body);
      await userGroups.delete(writer, currentToken, expected);
      return deleteView();
    },
  };

  app.decorateRequest("restCaller", null);
  for (const url of PATHS) {
    for (const [method, handle] of Object.entries(handlers)) {
      app.route({
        method,
        url,
        bodyLimit: BODY_LIMIT,
        // The key is checked before a byte of the body is read.
        onRequest: async (request, reply) => {
          const caller = await access.authenticate(request.headers.authorization, {
            requestId: request.id,
            address: request.ip,
          });
          const spending = rateLimits.spend({ kind: "caller", caller }, 1);
          if (spending) reply.headers(rateLimitHeaders(await spending));
          request.restCaller = caller;
        },
        handler: async (request) => handle(callerOf(request), parseBody(request.body)),
      });
    }
    refuseOtherMethods(app, url, METHODS);
  }
}

function callerOf(request: FastifyRequest): Caller {
  if (!request.restCaller) throw new Error("The route was reached without authentication.");
  return request.restCaller;
}
