import Fastify, { type FastifyRequest } from "fastify";
import { announce, readSettings, type Tenant, tenantOf } from "./peer-process.js";
import { PreparedGroups } from "./prepared-groups.js";

/**
 * `/api/user` without our service: a bare Fastify that answers constants (mode `constant`), or asks the database with
 * prepared statements for each request: GET by one SELECT (mode `select`) or one INSERT (mode `insert`).
 */
const settings = readSettings();
const app = Fastify();
app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
app.addHook("onRequest", async (request, reply) => {
  reply.header("cache-control", "no-store").header("x-request-id", "00000000-0000-4000-8000-000000000000");
  if (!tenantOf(settings, request.headers.authorization)) await reply.code(401).send({ success: 0 });
});

if (settings.mode === "constant") {
  app.get("/api/user", async () => settings.constant);
} else {
  const groups = await PreparedGroups.open(settings);
  if (settings.mode === "insert") {
    app.get<UserRoute>("/api/user", async (request) =>
      getView(await groups.insert(tenant(request), request.body)),
    );
  } else {
    app.get<UserRoute>("/api/user", async (request, reply) => {
      const found = await groups.find(tenant(request), request.body.user_group_id);
      return found ? getView(found) : reply.code(404).send({ success: 0 });
    });
  }
  app.post<{ Body: { current_token: string } }>("/api/user", async (request, reply) => {
    const group = await groups.rotate(tenant(request), request.body.current_token);
    if (!group) return reply.code(404).send({ success: 0 });
    const { properties: _, ...view } = group;
    return { success: 1, user_group: { ...view, api_environment_tag: tenant(request).environment } };
  });
}
await app.listen({ host: "127.0.0.1", port: 0 });
announce(app.server);

interface UserRoute {
  Body: { readonly user_group_id: string; readonly name: string; readonly properties?: object };
}

function getView({ created, ...group }: { readonly created: boolean }) {
  return { success: 1, new_user_group: created, user_group: group };
}

function tenant(request: Pick<FastifyRequest, "headers">): Tenant {
  const found = tenantOf(settings, request.headers.authorization);
  if (!found) throw new Error("The key was checked before.");
  return found;
}
