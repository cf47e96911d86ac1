import { describe, expect, test, vi } from "vitest";
import {
  type ClientOptions,
  type RequestInfo,
  type RetryInfo,
  responseOf,
  UserGroupsClient,
} from "../../../clients/typescript/src/index.js";
import { collect, usePackageClient } from "../../support/clients/package-client.js";
import { hang, refuse, reply, startScriptedServer } from "../../support/clients/scripted-server.js";

const limited = usePackageClient({ rateLimits: { maxCost: 50 } });
const BY = { providedId: "acme" };
const NONE = reply(200, { data: { userGroup: null } });

function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}) {
  return new UserGroupsClient({ baseUrl, apiKey: `ugk_live_${"k".repeat(40)}`, ...options });
}

describe("the request ID and the rate limit", () => {
  test("are known of every result, and are no part of it", async () => {
    const { client } = limited();
    const { userGroups, dataSources, webhooks, apiKeys } = client;
    const created = await userGroups.getOrCreate({ ...BY, name: "Acme" });
    const results: readonly object[] = [
      created,
      await userGroups.update({ ...BY, name: "New" }),
      await userGroups.createEmbedSession(BY),
      Object(await userGroups.get(BY)),
      await userGroups.upsert([BY]),
      await userGroups.upsertEach([BY]),
      await userGroups.rotateTokens([BY]),
      await userGroups.deleteEach([{ providedId: "nobody" }]),
      await userGroups.replaceMapping(BY, {}),
      ...(await collect(userGroups.list())),
      await dataSources.create({ providedId: "warehouse", name: "W" }),
      await webhooks.create({ name: "W", url: "https://hook.example.com" }),
      ...(await collect(apiKeys.list())),
      await client.request<object>("{ viewer { accountName } }"),
    ];
    for (const result of results)
      expect(responseOf(result), JSON.stringify(result)).toEqual({
        status: 200,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        retryAfter: undefined,
        rateLimit: { limit: 50, remaining: expect.any(Number), resetSeconds: expect.any(Number) },
      });
    expect(JSON.stringify(created)).not.toMatch(/remaining|requestId/);
    expect(responseOf({})).toBeUndefined();
  });

  test("are known of errors", async () => {
    const { client } = limited();
    const absent = client.userGroups.update({ providedId: "nobody", name: "N" });
    await expect(absent).rejects.toMatchObject({ rateLimit: { limit: 50, remaining: expect.any(Number) } });
    await expect(client.request("{ nothing }")).rejects.toMatchObject({
      status: 400,
      rateLimit: { limit: 50 },
    });
  });

  test("are undefined where a proxy or the service sends none", async () => {
    const group = { data: { userGroup: { id: "1" } } };
    const { url } = await startScriptedServer(reply(200, group, { "ratelimit-limit": "x" }));
    const found = await clientOf(url).userGroups.get(BY);
    expect(found && responseOf(found)).toMatchObject({ requestId: undefined, rateLimit: undefined });
  });
});

describe("hooks", () => {
  test("see each attempt, its reply and its retry, and may add headers", async () => {
    const refusal = refuse(503, "unavailable", { "retry-after": "0", "x-request-id": "r-1" });
    const { url, seen } = await startScriptedServer(refusal, NONE);
    const log: unknown[] = [];
    const client = clientOf(url, {
      onRequest({ headers, ...request }: RequestInfo) {
        log.push({ request });
        expect(Object.keys(headers)).not.toContain("authorization");
        headers["traceparent"] = `00-${request.attempt}`;
      },
      onResponse: ({ operation, attempt, status, requestId }) =>
        log.push({ response: { operation, attempt, status, requestId } }),
      onRetry: ({ error, waitMs, ...retry }: RetryInfo) => {
        log.push({ retry });
        expect(error).toMatchObject({ code: "unavailable" });
        expect(waitMs).toBeLessThanOrEqual(250);
      },
    });
    expect(await client.userGroups.get(BY)).toBeNull();
    const operation = "UserGroup";
    expect(log).toEqual([
      { request: { operation, attempt: 1 } },
      { response: { operation, attempt: 1, status: 503, requestId: "r-1" } },
      { retry: { operation, attempt: 1 } },
      { request: { operation, attempt: 2 } },
      { response: { operation, attempt: 2, status: 200, requestId: undefined } },
    ]);
    expect(seen.map(({ headers }) => headers["traceparent"])).toEqual(["00-1", "00-2"]);
  });

  test.each(["onRequest", "onResponse", "onRetry"])(
    "%s that throws ends the call with its error",
    async (name) => {
      const { url } = await startScriptedServer(refuse(503, "unavailable", { "retry-after": "0" }));
      const failure = new Error("The hook failed.");
      const hook = () => {
        throw failure;
      };
      await expect(clientOf(url, { [name]: hook }).userGroups.get(BY)).rejects.toBe(failure);
    },
  );
});

test("at most `maxConnections` requests are in progress; the others wait for their turn", async () => {
  let current = 0;
  let most = 0;
  const { url, seen } = await startScriptedServer((response) => {
    current += 1;
    most = Math.max(most, current);
    setTimeout(() => {
      current -= 1;
      NONE(response);
    }, 20);
  });
  const { userGroups } = clientOf(url, { maxConnections: 2 });
  await Promise.all(Array.from({ length: 7 }, () => userGroups.get(BY)));
  expect({ calls: seen.length, most }).toEqual({ calls: 7, most: 2 });
});

test("a call that is given up while it waits leaves its turn to others", async () => {
  const { url, seen } = await startScriptedServer(hang, NONE);
  const { userGroups } = clientOf(url, { maxConnections: 1, maxRetries: 0, timeoutMs: 60_000 });
  const abort = new AbortController();
  const calls = [1, 2, 3].map(() => userGroups.get(BY, { signal: abort.signal }).catch(String));
  const last = userGroups.get(BY);
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  abort.abort("left");
  expect(await Promise.all(calls)).toEqual(["left", "left", "left"]);
  expect(await last).toBeNull();
  expect(seen).toHaveLength(2);
});
