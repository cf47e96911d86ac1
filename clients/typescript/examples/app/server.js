import { join } from "node:path";
import {
  AuthenticationError,
  EmbedSessionVerificationError,
  UserGroupsClient,
  verifyEmbedSession,
} from "@user-groups/client";
import express from "express";
import { build } from "vite";
import { signedId, signedInCustomer } from "./sign-in.js";

const {
  USER_GROUPS_URL: serviceUrl = "http://127.0.0.1:4000",
  USER_GROUPS_API_KEY: apiKey = "",
  USER_GROUPS_AUDIENCE: audience = "demo/Customer",
  PORT = "3000",
} = process.env;
if (!/^ugk_(?:live|test)_[0-9A-Za-z]+$/.test(apiKey))
  fail("Set `USER_GROUPS_API_KEY` to an API key of the service, such as ugk_live_…");

/** A stand-in for your data: monthly sales by region. */
const SALES = new Map([
  ["EU", { Jan: 120, Feb: 135, Mar: 128, Apr: 160, May: 172, Jun: 190 }],
  ["US", { Jan: 210, Feb: 190, Mar: 240, Apr: 235, May: 260, Jun: 300 }],
]);
const HEADERS = {
  "cache-control": "no-store",
  // Only our scripts and styles; requests to us and the service.
  "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ${new URL(serviceUrl).origin}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

// One client per process: it reuses connections.
const client = new UserGroupsClient({ baseUrl: serviceUrl, apiKey, appName: "example" });
await client.request("{ viewer { accountName } }", {}, { maxRetries: 0 }).catch((error) => {
  if (error instanceof AuthenticationError) fail(`${serviceUrl}: ${error.message}`);
});
const app = express();
app.disable("x-powered-by");
app.use((_request, response, next) => {
  response.set(HEADERS);
  next();
});

// For the page, now and before its session expires; other origins cannot read it.
app.get("/embed-session", async (request, response) => {
  const customer = signedInCustomer(request.headers.cookie);
  if (!customer) return response.status(401).json({ error: "Not signed in." });
  const { id: providedId, name, region, properties } = customer;
  const { token: currentToken } = await client.userGroups.getOrCreate({ providedId, name, properties });
  const session = await client.userGroups.createEmbedSession({ currentToken, variables: { region } });
  return response.json(session);
});

// Your data, for the region in the session, which the page cannot change. Verified with the service's public keys, which are cached.
const keySetUrl = new URL("/.well-known/jwks.json", serviceUrl);
app.get("/sales", async (request, response) => {
  const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
  const { variables } = await verifyEmbedSession(token, { keySetUrl, audience });
  response.json(SALES.get(String(variables["region"])) ?? {});
});

app.post("/sign-in", express.urlencoded({ extended: false }), (request, response) => {
  // Over https, add `secure: true`.
  response.cookie("customer", signedId(String(request.body?.customer)), { httpOnly: true, sameSite: "lax" });
  response.redirect(303, "/");
});
app.post("/sign-out", (_request, response) => response.clearCookie("customer").redirect(303, "/"));

/** @type {import("express").ErrorRequestHandler} */
const answerFailure = (error, _request, response, _next) => {
  if (error instanceof EmbedSessionVerificationError) {
    return void response.status(401).json({ error: "The embed session is invalid." });
  }
  console.error(error);
  response.status(503).json({ error: "The service is temporarily unavailable." });
};
app.use(express.static(join(import.meta.dirname, "dist")), answerFailure);

await build({
  root: join(import.meta.dirname, "page"),
  define: { "import.meta.env.SERVICE_URL": JSON.stringify(serviceUrl) },
  build: { outDir: "../dist", emptyOutDir: true },
  logLevel: "error",
});
const server = app.listen(Number(PORT), "127.0.0.1", (error) => {
  if (error) fail(`${error.message}. Set another PORT.`);
  const address = server.address();
  const port = typeof address === "object" ? address?.port : PORT;
  console.log(`The example is available at http://127.0.0.1:${port}`);
});

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}
