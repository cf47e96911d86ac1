import { expect, test } from "vitest";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService } from "../../support/service/test-service.js";

const WARNING = "TRUSTED_PROXIES is empty";

async function warningsOf(trustedProxies: readonly string[]): Promise<string[]> {
  const service = await startTestService({ trustedProxies });
  try {
    const livez = (headers: Readonly<Record<string, string>>) =>
      callRest(`${service.url}/livez`, "GET", undefined, undefined, headers);
    await livez({});
    expect(service.log.join("")).not.toContain(WARNING);
    await livez({ "x-forwarded-for": "192.0.2.1" });
    await livez({ forwarded: "for=192.0.2.2" });
    return service.log.filter((line) => line.includes(WARNING));
  } finally {
    await service.close();
  }
}

test("a proxy header is logged once when no proxy is trusted", async () => {
  const warnings = await warningsOf([]);
  expect(warnings.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 40, address: "127.0.0.1" }),
  ]);
});

test("it is not logged when proxies are trusted", async () => {
  expect(await warningsOf(["127.0.0.1"])).toEqual([]);
});
