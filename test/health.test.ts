import { afterAll, beforeAll, expect, test } from "vitest";
import { callRest } from "./support/rest-client.js";
import { startTestService, type TestService } from "./support/test-service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test("the process says that it lives and is ready", async () => {
  expect(await callRest(`${service.url}/livez`, "GET", undefined)).toMatchObject({
    status: 200,
    body: { status: "ok" },
  });
  expect(await callRest(`${service.url}/readyz`, "GET", undefined)).toMatchObject({
    status: 200,
    body: { status: "ok" },
  });
});
