import type { FastifyInstance } from "fastify";
import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const { keys, service } = await startGraphql({
  console: true,
  docsDirectory: "/nonexistent",
  securityContact: "mailto:security@example.com",
});
const plain = await startGraphql();

test("security.txt names the contact of the operator, if there is one", async () => {
  const path = "/.well-known/security.txt";
  const reply = await fetch(`${service.url}${path}`);
  expect(reply.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const [, expires = ""] =
    /^Contact: mailto:security@example\.com\nExpires: (\S+Z)\n$/.exec(await reply.text()) ?? [];
  const days = (Date.parse(expires) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89);
  expect(days).toBeLessThanOrEqual(90);
  expect((await fetch(`${plain.service.url}${path}`)).status).toBe(404);
});

test("every path answers 405 to other methods and names those that it serves", async () => {
  const { server } = service;
  const paths = new Set(
    (["GET", "HEAD", "POST", "PUT", "DELETE"] as const).flatMap((method) => pathsOf(server, method)),
  );
  expect([...paths]).toEqual(
    expect.arrayContaining(["/livez", "/.well-known/jwks.json", "/site-config/:site", "/docs*", "/graphql"]),
  );
  for (const path of paths) {
    // The tree leaves out the folder of "/assets/*".
    const url = path.replace(/^\/\*/, "/assets*").replace("*", "/x").replaceAll(/:\w+/g, "x");
    const refused = await server.inject({ method: "PATCH", url });
    const allowed = String(refused.headers["allow"]).split(", ");
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
      const { statusCode } = await server.inject({ method, url });
      expect(`${method} ${url} ${statusCode === 405}`).toBe(`${method} ${url} ${!allowed.includes(method)}`);
    }
  }
});

test("a path that another route shares stays served", async () => {
  const url = `${service.url}/site-config/validate`;
  expect((await callRest(url, "PATCH", keys.admin)).headers["allow"]).toBe(
    "POST, GET, HEAD, PUT, DELETE, OPTIONS",
  );
  // A site may have this name.
  expect((await callRest(url, "GET", keys.admin)).status).toBe(404);
});

test("replies of every kind allow a browser nothing", async () => {
  for (const [method, path, status] of [
    ["GET", "/livez", 200],
    ["GET", "/openapi.json", 200],
    ["GET", "/schemas/site-config.json", 200],
    ["PUT", "/api/user", 400],
    ["POST", "/graphql", 400],
    ["GET", "/nothing", 404],
    ["GET", "/%", 404],
    ["PATCH", "/livez", 405],
  ] as const) {
    const reply = await callRest(`${service.url}${path}`, method, keys.admin);
    expect({ path, ...reply }).toMatchObject({
      status,
      headers: {
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      },
    });
  }
});

/** The paths that the router knows for a method, from its tree: four characters of indentation per level. */
function pathsOf(
  server: FastifyInstance,
  method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE",
): readonly string[] {
  const ancestors: string[] = [];
  return server
    .printRoutes({ commonPrefix: false, method })
    .split("\n")
    .flatMap((line) => {
      const [, indent = "", part = ""] = /^(.*?)[├└]── (\S+)/.exec(line) ?? [];
      const depth = indent.length / 4;
      if (part === "") return [];
      ancestors.splice(depth, ancestors.length, (ancestors[depth - 1] ?? "") + part);
      return line.includes(" (") ? [ancestors[depth] ?? ""] : [];
    });
}
