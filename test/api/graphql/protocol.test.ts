import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { printSdl } from "../../../src/graphql/server/schema.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const { account, call, keys, run, service } = await startGraphql();
const VIEWER =
  "{ viewer { accountName environment apiKey { id scope } userGroup { id } tokenGraceSeconds } }";

test("schema.graphql is current (npm run schema:write)", async () => {
  expect(await readFile(new URL("../../../schema.graphql", import.meta.url), "utf8")).toBe(printSdl());
});

test("viewer describes the caller", async () => {
  const viewer = {
    accountName: account.name,
    environment: "CUSTOMER",
    apiKey: { id: expect.any(String), scope: "ADMIN" },
    userGroup: null,
    tokenGraceSeconds: 0,
  };
  expect(await run(VIEWER)).toEqual({ viewer });
  expect(await run(VIEWER, {}, keys.testing)).toEqual({ viewer: { ...viewer, environment: "TESTING" } });
  expect(await run(VIEWER, {}, keys.read)).toEqual({
    viewer: { ...viewer, apiKey: { ...viewer.apiKey, scope: "READ" } },
  });
});

test("partial data keeps status 200", async () => {
  const query = `{ viewer { environment } userGroup(by: { providedId: "" }) { name } }`;
  expect(await call(query)).toMatchObject({
    status: 200,
    body: {
      data: { viewer: { environment: "CUSTOMER" }, userGroup: null },
      errors: [{ path: ["userGroup"] }],
    },
  });
});

test("a body that is not JSON gets the position of the error, and one that is no object is refused", async () => {
  const url = `${service.url}/graphql`;
  const message = "The body is not valid JSON: value expected at line 1, column 10.";
  expect(await callRest(url, "POST", undefined, '{"query":}')).toMatchObject({
    status: 400,
    body: { errors: [{ message, extensions: { code: "INVALID_JSON" } }] },
  });
  for (const body of ["[]", "null", "5", '[{"query":"{viewer{environment}}"}]'])
    expect((await callRest(url, "POST", undefined, body)).status).toBe(400);
});

test("replies are not cacheable and contain the request ID", async () => {
  const { headers } = await call(VIEWER);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});
