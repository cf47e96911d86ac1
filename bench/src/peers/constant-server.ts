import type { FastifyInstance } from "fastify";
import type * as HttpServer from "../../../src/http/server/http-server.js";
import type * as RestRoutes from "../../../src/rest/routes.js";
import { announce, readSettings } from "./peer-process.js";

/** A REST reply. */
interface Reply {
  readonly user_group: {
    readonly team_id: number;
    readonly token: string;
    readonly name: string;
    readonly provided_id: string;
    readonly properties: object;
  };
}

/** The used part of our REST API. */
type UserRoutes = Record<
  keyof Pick<typeof RestRoutes, "registerRestRoutes">,
  (app: FastifyInstance, services: object) => void
>;

// Our HTTP server with all of its work per request. The reply is a constant, or comes from our REST API with services
// that always find the same key, group and token.
const { constant, mode } = readSettings();
const compiled = (path: string) => new URL(`../../../../../dist/src/${path}`, import.meta.url).href;
const { createBareServer }: typeof HttpServer = await import(compiled("http/server/http-server.js"));
const app = createBareServer({ level: "info", stream: process.stderr, successesPerSecond: 100 });
if (mode === "services") {
  const { registerRestRoutes }: UserRoutes = await import(compiled("rest/routes.js"));
  registerRestRoutes(app, servicesOf(constant));
} else {
  app.get("/api/user", { bodyLimit: 1024 * 1024 }, async () => constant);
}
await app.listen({ host: "127.0.0.1", port: 0 });
announce(app.server);

/** Returns the services that a GET with a cached API key uses; others are absent. */
function servicesOf(reply: object): object {
  if (!isReply(reply)) throw new TypeError("The constant is not a reply to GET.");
  const { team_id: id, token, name, provided_id: providedId, properties } = reply.user_group;
  // Properties are stored as JSON text.
  const userGroup = { id, name, providedId, properties: JSON.stringify(properties) };
  const found = { userGroup, created: false };
  const caller = { scope: "write" };
  return {
    access: { authenticateCached: () => caller },
    rateLimits: { spend: () => null },
    userGroups: { getOrCreate: async () => found },
    userGroupReader: { tokenOf: () => token },
  };
}

function isReply(reply: object): reply is Reply {
  return "user_group" in reply;
}
