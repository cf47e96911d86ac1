import Fastify, { type FastifyReply } from "fastify";
import { announce, readSettings, type Tenant, tenantOf } from "./peer-process.js";
import { type GetBody, PreparedGroups } from "./prepared-groups.js";
import { ApiKeys, Statements } from "./tenant-queries.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The tenant of the API key. */
    keyTenant?: Tenant | undefined;
  }
}

/**
 * `/api/user` on plain Fastify: replies with a constant (mode `constant`), or runs prepared statements:
 * GET by one SELECT (mode `select`) or one INSERT (mode `insert`), PUT and POST by one UPDATE.
 */
const settings = readSettings();
const statements = settings.mode === "constant" ? undefined : await Statements.open(settings);
const keys = statements && new ApiKeys(settings, statements);
const findTenant = async (authorization: string | undefined) =>
  keys ? keys.find(authorization) : tenantOf(settings, authorization);
const app = Fastify();
app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
app.addHook("onRequest", async (request, reply) => {
  reply.header("cache-control", "no-store").header("x-request-id", "00000000-0000-4000-8000-000000000000");
  request.keyTenant = await findTenant(request.headers.authorization);
  if (!request.keyTenant) await reply.code(401).send({ success: 0 });
});

if (!statements) {
  app.get("/api/user", async () => settings.constant);
} else {
  const groups = await PreparedGroups.open(statements, settings);
  app.get<{ Body: GetBody }>("/api/user", async (request, reply) => {
    const method = settings.mode === "insert" ? "insert" : "find";
    return (await groups[method](tenant(request), request.body)) ?? notFound(reply);
  });
  app.put<{ Body: GetBody }>(
    "/api/user",
    async (request, reply) => (await groups.rename(tenant(request), request.body)) ?? notFound(reply),
  );
  app.post<{ Body: { current_token: string } }>(
    "/api/user",
    async (request, reply) =>
      (await groups.rotate(tenant(request), request.body.current_token)) ?? notFound(reply),
  );
}
await app.listen({ host: "127.0.0.1", port: 0 });
announce(app.server);

function notFound(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ success: 0 });
}

function tenant({ keyTenant }: { readonly keyTenant?: Tenant | undefined }): Tenant {
  if (!keyTenant) throw new Error("The key must be checked before.");
  return keyTenant;
}
