import { describe, expect, test } from "vitest";
import { callRest } from "../../support/rest/rest-client.js";
import { startService } from "../../support/service/test-service.js";

const service = await startService({ queueSize: 1, poolSize: 1 });
const account = await service.createAccount();
const key = await account.createKey();

/** Waits for at least that many log lines of a request. */
async function linesOf(requestId: string, count: number) {
  const find = () =>
    service.log.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);
  await expect.poll(() => find().length).toBeGreaterThanOrEqual(count);
  return find();
}

describe("the log line of a request", () => {
  test("contains the route, the caller and the error", async () => {
    const headers = { "x-request-id": "rest-1" };
    await callRest(
      `${service.url}/api/user/?secret=1`,
      "PUT",
      key.secret,
      { user_group_id: "nobody" },
      headers,
    );
    expect(await linesOf("rest-1", 1)).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        requestId: "rest-1",
        method: "PUT",
        path: "/api/user/",
        route: "/api/user/",
        status: 404,
        code: "user_group_not_found",
        ms: expect.any(Number),
        accountId: account.accountId,
        keyId: key.id,
        msg: "request",
      },
    ]);
  });

  test("contains the same for GraphQL, and no key for a front end", async () => {
    const group = await callRest(`${service.url}/api/user`, "GET", key.secret, {
      user_group_id: "g",
      name: "G",
    });
    const { token } = Object(group.body).user_group;
    const query = { query: "{ userGroups { totalCount } }" };
    const headers = { authorization: `Bearer ${token}`, "x-request-id": "graphql-1" };
    await callRest(`${service.url}/graphql`, "POST", undefined, query, headers);
    const [line] = await linesOf("graphql-1", 1);
    expect(line).toMatchObject({
      route: "/graphql",
      status: 403,
      code: "forbidden",
      accountId: account.accountId,
    });
    expect(line).not.toHaveProperty("keyId");
  });

  test.each(["GET", "POST"])("comes with the reason why a request was not served, for %s", async (method) => {
    const requestId = `outage-${method}`;
    // The only connection is busy, and one more request may wait for it.
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let holding: Promise<void> | undefined;
    await new Promise<void>((resolve) => {
      holding = service.database.transaction("operator", () => {
        resolve();
        return held;
      });
    });
    const waiting = service.services.checkReadiness();
    const headers = { "x-request-id": requestId };
    const reply =
      method === "GET"
        ? await callRest(`${service.url}/api/user`, "GET", key.secret, { user_group_id: "g" }, headers)
        : await callRest(
            `${service.url}/graphql`,
            "POST",
            key.secret,
            {
              query:
                '{ a: userGroup(by: {providedId: "a"}) { id } b: userGroup(by: {providedId: "b"}) { id } }',
            },
            headers,
          );
    release();
    await Promise.all([holding, waiting]);
    expect(reply.status).toBe(503);
    const lines = await linesOf(requestId, 2);
    expect(lines.map(({ msg }) => msg)).toEqual(["request not served", "request"]);
    expect(lines[0]).toMatchObject({ level: 40, reason: expect.stringContaining("overloaded") });
    expect(lines[1]).toMatchObject({ status: 503, code: "unavailable" });
  });
});

describe("GraphQL errors before execution", () => {
  const url = () => `${service.url}/graphql`;
  test.each([
    ["no query", () => callRest(url(), "POST", key.secret, {})],
    ["a wrong method", () => callRest(url(), "PUT", key.secret, { query: "{ __typename }" })],
    ["a page of another site", () => callRest(`${url()}?query={__typename}`, "GET", undefined)],
    [
      "invalid variables",
      () => callRest(url(), "POST", key.secret, { query: "{ __typename }", variables: "x" }),
    ],
    ["no JSON", () => callRest(url(), "POST", key.secret, "{")],
    ["a mutation by GET", () => callRest(`${url()}?query=mutation{__typename}`, "GET", key.secret)],
  ])("contain the request ID, as for %s", async (_, call) => {
    const { status, headers, body } = await call();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(Object(body).errors).toMatchObject([{ extensions: { requestId: headers["x-request-id"] } }]);
    const text = JSON.stringify(body);
    // Apollo Server appends a newline.
    expect([text, `${text}\n`].map((sent) => String(Buffer.byteLength(sent)))).toContain(
      headers["content-length"],
    );
    const [line] = await linesOf(String(headers["x-request-id"]), 1);
    expect(line.code).toMatch(/^[a-z_]+$/);
  });
});
