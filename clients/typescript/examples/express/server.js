import { UserGroupsClient } from "@user-groups/client";
import express from "express";
import { customers } from "../shared/customers.js";
import { assets, dashboardPage, pageHeaders, signInPage, unavailablePage } from "../shared/pages.js";
import { createSales } from "../shared/sales.js";
import { EXPIRED_COOKIE, sessionCookie, signedInCustomer } from "../shared/session.js";
import { failToStart, readSettings } from "../shared/settings.js";

const { serviceUrl, apiKey, audience, port } = readSettings();
// One client per process: it reuses connections.
const client = new UserGroupsClient({ baseUrl: serviceUrl, apiKey, appName: "express-example" });
const salesOf = createSales({ serviceUrl, audience });
const app = express();
app.disable("x-powered-by");

app.get("/", (request, response) => {
  const customer = signedInCustomer(request.headers.cookie);
  response.set(pageHeaders(serviceUrl));
  response.send(customer ? dashboardPage({ serviceUrl, customerName: customer.name }) : signInPage());
});

// For the page, now and before its session expires; other origins cannot read it.
app.get("/embed-session", async (request, response) => {
  const customer = signedInCustomer(request.headers.cookie);
  response.set("cache-control", "no-store");
  if (customer) response.json(await sessionOf(customer));
  else response.status(401).json({ error: "Not signed in." });
});

// Your data: verifies the session without a request to the service.
app.get("/sales", async (request, response) => {
  const sales = await salesOf(request.headers.authorization);
  response.set("cache-control", "no-store");
  if (sales) response.json(sales);
  else response.status(401).json({ error: "The embed session is invalid." });
});

app.post("/sign-in", express.urlencoded({ extended: false }), (request, response) => {
  const customer = customers.get(String(request.body?.customer));
  if (customer) response.set("set-cookie", sessionCookie(customer.id));
  response.redirect(303, "/");
});

app.post("/sign-out", (_request, response) => {
  response.set("set-cookie", EXPIRED_COOKIE).redirect(303, "/");
});

for (const { path, type, text } of assets) {
  app.get(path, (_request, response) => void response.type(type).send(text));
}

/** @type {import("express").ErrorRequestHandler} */
const answerFailure = (error, _request, response, _next) => {
  console.error(error);
  response.status(503).set(pageHeaders(serviceUrl)).send(unavailablePage());
};
app.use(answerFailure);

const server = app.listen(port, "127.0.0.1", (error) => {
  if (error) failToStart(error);
  const address = server.address();
  console.log(
    `The example is available at http://127.0.0.1:${typeof address === "object" ? address?.port : port}`,
  );
});

/**
 * Creates an embed session of a customer, and their group if it does not exist.
 * @param {{ id: string, name: string, properties: object, variables: object }} customer
 */
async function sessionOf({ id, name, properties, variables }) {
  const { token: currentToken } = await client.userGroups.getOrCreate({ userGroupId: id, name, properties });
  return client.userGroups.createEmbedSession({ currentToken, variables });
}
