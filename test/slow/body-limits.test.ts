import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSlowReaders, toBytes } from "../support/faults/slow-readers.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { useLimitedServices } from "../support/service/limited-services.js";
import { metricValue } from "../support/service/metric-samples.js";

const MEGABYTE = 1024 * 1024;

const { start, open, openServed } = useLimitedServices();

/** Returns the status of a large request from another address of this machine. */
async function statusFrom(localAddress: string, url: string, secret: string, text: string): Promise<number> {
  const dispatcher = new Agent({ localAddress });
  const { statusCode, body } = await request(`${url}/graphql`, {
    dispatcher,
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Token ${secret}` },
    body: JSON.stringify({ query: "{ viewer { environment } }", variables: { text } }),
  });
  await body.dump();
  await dispatcher.close();
  return statusCode;
}

describe("bodies in transit", () => {
  test("get 503 while stalled ones use up the limit, and are read once those have timed out", async () => {
    const service = await start({ maxBodyBytes: 8 * MEGABYTE, receiveTimeoutMs: 2_000 });
    const { secret } = await (await service.createAccount()).createKey();
    const { shedRequests } = service.services.telemetry.metrics;
    const length = {
      "Content-Type": "application/json",
      Authorization: `Token ${secret}`,
      "Content-Length": 4 * MEGABYTE,
    };
    const stalled = await openSlowReaders(
      service.url,
      2,
      toBytes("POST /graphql", length, Buffer.alloc(MEGABYTE, "[")),
    );
    onTestFinished(() => stalled.close());
    await expect.poll(() => metricValue(shedRequests, { limit: "bodies" })).toBe(1);
    const text = "x".repeat(MEGABYTE);
    const large = async () => callGraphql(service.url, secret, "{ viewer { environment } }", { text });
    const small = async () => callGraphql(service.url, secret, "{ viewer { environment } }");
    expect(await small()).toMatchObject({ status: 200 });
    // One address has at most half of the limit.
    expect(await statusFrom("127.0.0.2", service.url, secret, text)).toBe(200);
    await expect.poll(async () => (await large()).status, { interval: 250 }).toBe(200);
  });

  test("do not crash the process when they are unread and break off", async () => {
    const service = await start({});
    const head =
      "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: @@@\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const delayMs of [0, 1, 3, 10]) {
      const socket = await open(service);
      socket.write(`${"GET /api/user HTTP/1.1\r\nHost: x\r\n\r\n".repeat(6)}${head}10\r\n{`);
      await sleep(delayMs);
      socket.resetAndDestroy();
    }
    // Vitest fails the run for an unhandled error.
    await openServed(service);
  });
});
