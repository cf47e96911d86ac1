import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const ORIGIN = "https://app.example.com";
const preflight = {
  origin: ORIGIN,
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type",
};
const EXPOSED =
  "X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, RateLimit, Idempotent-Replayed";
const query = { query: "{ viewer { __typename } }" };

describe("with allowed origins", async () => {
  const { send, service } = await startGraphql({ corsOrigins: [ORIGIN, "https://other.example.com"] });

  test("a page of an allowed origin can call the GraphQL API", async () => {
    const url = `${service.url}/graphql`;
    const reply = await callRest(url, "OPTIONS", undefined, undefined, preflight);
    expect(reply.status).toBe(204);
    expect(reply.headers).toMatchObject({
      "access-control-allow-origin": ORIGIN,
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "authorization,content-type",
      "access-control-max-age": "86400",
    });
    const called = await send(query, undefined, { origin: ORIGIN });
    expect(called).toMatchObject({ status: 200, body: { data: { viewer: { __typename: "Viewer" } } } });
    expect(called.headers).toMatchObject({
      "access-control-allow-origin": ORIGIN,
      "access-control-expose-headers": EXPOSED,
    });
    expect(called.headers["access-control-allow-credentials"]).toBeUndefined();
    const refused = await send(query, "wrong", { origin: ORIGIN });
    expect(refused).toMatchObject({ status: 401, headers: { "access-control-allow-origin": ORIGIN } });
  });

  test("a page of another origin cannot, and no page can call the REST API", async () => {
    const { url } = service;
    const stranger = { ...preflight, origin: "https://evil.example.com" };
    const reply = await callRest(`${url}/graphql`, "OPTIONS", undefined, undefined, stranger);
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
    const rest = await callRest(`${url}/api/user`, "OPTIONS", undefined, undefined, preflight);
    expect(rest.status).toBe(405);
    expect(rest.headers["access-control-allow-origin"]).toBeUndefined();
    expect((await callRest(`${url}/nothing`, "OPTIONS", undefined)).status).toBe(404);
  });
});

describe("without allowed origins", async () => {
  const { send, service } = await startGraphql();

  test("no page of another origin can call", async () => {
    const url = `${service.url}/graphql`;
    const reply = await callRest(url, "OPTIONS", undefined, undefined, preflight);
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
    const called = await send(query, undefined, { origin: ORIGIN });
    expect(called.headers["access-control-allow-origin"]).toBeUndefined();
  });
});
