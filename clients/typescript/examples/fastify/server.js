import { UserGroupsClient } from "@user-groups/client";
import fastify from "fastify";
import { customers } from "../shared/customers.js";
import { assets, dashboardPage, pageHeaders, signInPage, unavailablePage } from "../shared/pages.js";
import { createSales } from "../shared/sales.js";
import { EXPIRED_COOKIE, sessionCookie, signedInCustomer } from "../shared/session.js";
import { failToStart, readSettings } from "../shared/settings.js";

const { serviceUrl, apiKey, audience, port } = readSettings();
// One client per process: it reuses connections.
const client = new UserGroupsClient({ baseUrl: serviceUrl, apiKey, appName: "fastify-example" });
const salesOf = createSales({ serviceUrl, audience });
const app = fastify();
app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
  done(null, Object.fromEntries(new URLSearchParams(String(body)))),
);

app.get("/", async (request, reply) => {
  const customer = signedInCustomer(request.headers.cookie);
  reply.headers(pageHeaders(serviceUrl));
  return customer ? dashboardPage({ serviceUrl, customerName: customer.name }) : signInPage();
});

// For the page, now and before its session expires; other origins cannot read it.
app.get("/embed-session", async (request, reply) => {
  const customer = signedInCustomer(request.headers.cookie);
  reply.header("cache-control", "no-store");
  if (!customer) return reply.code(401).send({ error: "Not signed in." });
  return sessionOf(customer);
});

// Your data: verifies the session without a request to the service.
app.get("/sales", async (request, reply) => {
  const sales = await salesOf(request.headers.authorization);
  reply.header("cache-control", "no-store");
  return sales ?? reply.code(401).send({ error: "The embed session is invalid." });
});

app.post("/sign-in", async (request, reply) => {
  const customer = customers.get(new URLSearchParams(Object(request.body)).get("customer") ?? "");
  if (customer) reply.header("set-cookie", sessionCookie(customer.id));
  return reply.redirect("/", 303);
});

app.post("/sign-out", async (_request, reply) =>
  reply.header("set-cookie", EXPIRED_COOKIE).redirect("/", 303),
);

for (const { path, type, text } of assets)
  app.get(path, async (_request, reply) => reply.type(type).send(text));

app.setErrorHandler(async (error, _request, reply) => {
  console.error(error);
  return reply.code(503).headers(pageHeaders(serviceUrl)).send(unavailablePage());
});

const address = await app.listen({ host: "127.0.0.1", port }).catch(failToStart);
console.log(`The example is available at ${address}`);

/**
 * Creates an embed session of a customer, and their group if it does not exist.
 * @param {{ id: string, name: string, properties: object, variables: object }} customer
 */
async function sessionOf({ id, name, properties, variables }) {
  const { token: currentToken } = await client.userGroups.getOrCreate({ userGroupId: id, name, properties });
  return client.userGroups.createEmbedSession({ currentToken, variables });
}
