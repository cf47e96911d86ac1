import type { FastifyInstance } from "fastify";
import type { Services } from "../services/services.js";
import { registerOperations } from "./authenticated-routes.js";
import { EMBED_SESSION_OPERATIONS, EMBED_SESSION_PATH, registerKeySet } from "./embed-sessions.js";
import { USER_OPERATIONS, USER_PATH } from "./user-groups.js";

/** Registers the REST API. The app must accept GET requests with a body. */
export function registerRestRoutes(app: FastifyInstance, services: Services): void {
  registerOperations(app, services, USER_PATH, USER_OPERATIONS);
  registerOperations(app, services, EMBED_SESSION_PATH, EMBED_SESSION_OPERATIONS);
  registerKeySet(app, services);
}
