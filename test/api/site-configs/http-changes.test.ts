import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { getSite } from "../../support/site-configs/http.js";
import { goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { account, keys, run, service } = graphql;
const text = `${JSON.stringify(goodSite, null, 2)}\n`;
const other = text.replace("Docs", "Other");
const tagOf = (file: string) => `"${createHash("sha256").update(file).digest("base64url")}"`;
const NO_FINDINGS = { valid: true, errors: [], warnings: [], notices: [] };

async function call(
  method: string,
  path: string,
  {
    body,
    headers,
    key = keys.admin,
  }: { body?: unknown; headers?: Record<string, string>; key?: string } = {},
) {
  return callRest(`${service.url}/site-config/${path}`, method, key, body, headers);
}

function refusal(code: string, field: string) {
  return { success: 0, error: { code, field, message: expect.any(String), request_id: expect.any(String) } };
}

describe("POST /site-config/validate", () => {
  test("returns the findings of a text with their positions, also of one that is not JSON", async () => {
    expect(await call("POST", "validate", { body: text, key: keys.read })).toMatchObject({
      status: 200,
      body: { success: 1, report: NO_FINDINGS },
    });
    const plain = { "content-type": "text/plain; charset=utf-8" };
    expect(
      await call("POST", "validate/", { body: '\ufeff{\n  "name": 1,\n}', headers: plain }),
    ).toMatchObject({
      status: 200,
      body: {
        report: {
          valid: false,
          errors: [
            { code: "byte_order_mark", line: 1 },
            { code: "missing_property" },
            { code: "wrong_type", pointer: "/name", line: 2, column: 11 },
            { code: "trailing_comma", line: 2 },
          ],
        },
      },
    });
  });

  test("reports an empty file like any other that is not JSON", async () => {
    const errors = [{ code: "invalid_json", line: 1, column: 1 }];
    for (const body of ["", undefined]) {
      expect(await call("POST", "validate", { body })).toMatchObject({
        status: 200,
        body: { report: { valid: false, errors } },
      });
      expect(await call("PUT", "empty", { body })).toMatchObject({
        status: 422,
        body: { report: { errors } },
      });
    }
  });

  test("?strict turns warnings, but not notices, into errors", async () => {
    const body = JSON.stringify({ ...goodSite, sections: [], $schema: "a" });
    const warning = { code: "unknown_property", pointer: "/sections" };
    const notices = [{ code: "undocumented_property", pointer: "/$schema" }];
    expect(await call("POST", "validate?strict=false", { body })).toMatchObject({
      body: { report: { valid: true, errors: [], warnings: [warning], notices } },
    });
    for (const query of ["?strict", "?strict=true"]) {
      expect(await call("POST", `validate${query}`, { body })).toMatchObject({
        body: { report: { valid: false, errors: [warning], warnings: [], notices } },
      });
    }
  });

  test.each<readonly [string, object, number, object]>([
    ["validate?strict=1", { body: text }, 400, refusal("invalid_field", "strict")],
    ["validate", { body: `[${"1,".repeat(20_000)}1]` }, 400, refusal("invalid_field", "body")],
    [
      "validate",
      { body: Buffer.from([0xff]) },
      400,
      { error: { message: "The body is not valid UTF-8 text." } },
    ],
    ["validate", { body: " ".repeat(2 ** 18 + 1) }, 413, {}],
    ["validate", { body: text, headers: { "content-type": "text/html" } }, 415, {}],
    ["validate", { body: text, key: "unknown" }, 401, {}],
  ])("%s %.80j is %i", async (path, options, status, body) => {
    expect(await call("POST", path, options)).toMatchObject({ status, body });
  });
});

describe("PUT and DELETE /site-config/{site}", () => {
  test("store a text unchanged, with an audit entry, and delete it", async () => {
    expect(await call("PUT", "written", { body: text })).toMatchObject({
      status: 200,
      headers: { etag: tagOf(text), "site-config-revision": "1", "cache-control": "no-store" },
      body: { success: 1, site: "written", revision: 1, report: NO_FINDINGS },
    });
    expect(await getSite(graphql, "written")).toMatchObject({ text, headers: { etag: tagOf(text) } });
    const { headers } = await call("DELETE", "written");
    expect((await getSite(graphql, "written")).status).toBe(404);
    const { auditLog } = await run("{ auditLog(first: 2) { nodes { action requestId } } }");
    expect(auditLog.nodes).toEqual([
      { action: expect.stringMatching(/SITE_CONFIG.*DELETE/i), requestId: headers["x-request-id"] },
      expect.objectContaining({ action: expect.stringMatching(/SITE_CONFIG/i) }),
    ]);
    // The history goes on.
    expect(await call("PUT", "written", { body: text })).toMatchObject({ body: { revision: 2 } });
  });

  test("If-Match takes the ETag or the revision that was read", async () => {
    const steps: readonly (readonly [string, string | undefined, string, string, number])[] = [
      // Without the precondition, PUT would create the site.
      ...["*", tagOf(text), '"1"'].map((tag) => ["PUT", text, "If-Match", tag, 412] as const),
      ["PUT", text, "If-None-Match", "*", 200],
      ["PUT", text, "If-None-Match", "*", 412],
      ["DELETE", undefined, "If-None-Match", "*", 412],
      ["PUT", other, "If-Match", tagOf(text), 200],
      ["PUT", text, "If-Match", tagOf(text), 412],
      ["PUT", text, "If-Match", '"2"', 200],
      ["DELETE", undefined, "If-Match", '"2"', 412],
      ["PUT", text, "If-Match", "3", 400],
      ["PUT", text, "If-Match", `W/"3", "3" "x"`, 400],
      ["PUT", text, "If-Match", ", ,", 400],
      ["PUT", text, "If-Match", `W/"2", ${tagOf(other)}`, 412],
      ["PUT", text, "If-Match", `"7" ,W/${tagOf(text)}`, 200],
      ["PUT", text, "If-Match", `W/"4",`, 200],
      ["PUT", text, "If-Match", tagOf(text).replace(/"$/, '-gzip"'), 200],
      ["PUT", text, "If-None-Match", tagOf(text), 400],
      ["DELETE", undefined, "If-Match", tagOf(text), 200],
      ...["*", '"6"'].map((tag) => ["DELETE", undefined, "If-Match", tag, 404] as const),
      ["DELETE", undefined, "If-None-Match", "*", 404],
    ];
    let revision = 0;
    for (const [method, body, name, value, status] of steps) {
      const reply = await call(method, "guarded", { body, headers: { [name]: value } });
      if (status === 200 && method === "PUT") revision += 1;
      const bodies: Readonly<Record<number, object>> = {
        200: method === "PUT" ? { success: 1, revision } : { success: 1 },
        400: refusal("invalid_field", name),
        404: { error: { code: "site_config_not_found" } },
        412: refusal("version_conflict", name),
      };
      expect(reply, `${method} ${name}: ${value}`).toMatchObject({ status, body: bodies[status] });
    }
    expect((await call("DELETE", "guarded")).status).toBe(404);
  });

  test("PUT of a file with errors stores nothing and returns the report", async () => {
    const body = JSON.stringify({ ...goodSite, favicon: 5, sections: [] });
    const errors = [{ code: "wrong_type", pointer: "/favicon", line: 1 }];
    expect(await call("PUT", "refused", { body })).toMatchObject({
      status: 422,
      body: { ...refusal("invalid_site_config", "body"), report: { valid: false, errors } },
    });
    const warned = JSON.stringify({ ...goodSite, sections: [] });
    expect(await call("PUT", "refused?strict", { body: warned })).toMatchObject({ status: 422 });
    expect((await getSite(graphql, "refused")).status).toBe(404);
    expect(await call("PUT", "refused", { body: warned })).toMatchObject({
      body: { report: { warnings: [{ code: "unknown_property" }] } },
    });
  });

  test("a change needs write scope and stays in the environment of the API key", async () => {
    for (const method of ["PUT", "DELETE"]) {
      const body = method === "PUT" ? text : undefined;
      expect(await call(method, "scoped", { body, key: keys.read })).toMatchObject({ status: 403 });
      expect(await call(method, "scoped?account=another", { body })).toMatchObject({
        status: 400,
        body: refusal("invalid_field", "account"),
      });
      expect(await call(method, "scoped?environment=Testing", { body })).toMatchObject({
        status: 400,
        body: refusal("invalid_field", "environment"),
      });
      expect(await call(method, "a%00b", { body })).toMatchObject({ body: refusal("invalid_field", "site") });
    }
    const own = `scoped?account=${encodeURIComponent(account.name)}`;
    expect(await call("PUT", own, { body: text })).toMatchObject({ status: 200 });
    expect(await call("DELETE", "scoped", { key: keys.testing })).toMatchObject({ status: 404 });
  });

  test("of two concurrent changes with one If-Match, one is stored", async () => {
    await call("PUT", "raced", { body: text });
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() => call("PUT", "raced", { body: other, headers: { "if-match": tagOf(text) } })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
  });
});
