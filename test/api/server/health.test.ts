import { afterAll, beforeAll, expect, test } from "vitest";
import { siteConfigJsonSchema } from "../../../src/domain/site-configs/json-schema.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test("the process reports that it is live and ready", async () => {
  expect(await callRest(`${service.url}/livez`, "GET", undefined)).toMatchObject({
    status: 200,
    body: { status: "ok" },
  });
  expect(await callRest(`${service.url}/readyz`, "GET", undefined)).toMatchObject({
    status: 200,
    body: { status: "ok" },
  });
});

test("the JSON Schema of site configurations is public", async () => {
  const reply = await callRest(`${service.url}/schemas/site-config.json`, "GET", undefined);
  expect(reply).toMatchObject({
    status: 200,
    headers: {
      "content-type": "application/schema+json; charset=utf-8",
      "cache-control": "public, max-age=3600",
    },
  });
  expect(reply.body).toEqual(siteConfigJsonSchema());
});
