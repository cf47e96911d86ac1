import { beforeAll, describe, expect, test } from "vitest";
import { useGraphql } from "./support/graphql-fixture.js";
import { createUserGroup } from "./support/user-group-operations.js";

const graphql = useGraphql();
const URL_OF = (path: string) => `https://93.184.216.34/${path}`;
const ENDPOINT = "webhookEndpoint { id name url events disabledAt createdAt }";
const ERRORS = "userErrors { code field message }";
const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { ${ENDPOINT} secret ${ERRORS} }
}`;
const UPDATE = `mutation ($input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(input: $input) { ${ENDPOINT} ${ERRORS} }
}`;
const ROTATE = `mutation ($input: WebhookEndpointInput!) {
  rotateWebhookSecret(input: $input) { ${ENDPOINT} secret ${ERRORS} }
}`;
const DELETE = `mutation ($input: WebhookEndpointInput!) {
  deleteWebhookEndpoint(input: $input) { deletedWebhookEndpointId ${ERRORS} }
}`;
const REPLAY = `mutation ($input: ReplayWebhookDeliveryInput!) {
  replayWebhookDelivery(input: $input) { webhookDelivery { state } ${ERRORS} }
}`;
const LIST = `query ($filter: WebhookDeliveryFilter, $first: Int, $after: String) {
  webhookDeliveries(filter: $filter, first: $first, after: $after) {
    totalCount
    nodes { id event state attempts nextAttemptAt endpoint { name } payload }
    pageInfo { hasNextPage endCursor }
  }
}`;

async function create(name: string, more: object = {}, key?: string) {
  const input = { name, url: URL_OF(name), ...more };
  return (await graphql().run(CREATE, { input }, key)).createWebhookEndpoint;
}

describe("endpoints", () => {
  test("are made with a secret, listed without it, changed and deleted", async () => {
    const { run, keys } = graphql();
    const made = await create("first", { events: ["USER_GROUP_DELETED"] }, keys.testing);
    const { id } = made.webhookEndpoint;
    const endpoint = {
      id,
      name: "first",
      url: URL_OF("first"),
      events: ["USER_GROUP_DELETED"],
      disabledAt: null,
      createdAt: expect.any(String),
    };
    const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toEqual({ webhookEndpoint: endpoint, secret, userErrors: [] });
    const second = await create("second", {}, keys.testing);
    expect(second.webhookEndpoint.events).toEqual([]);

    const update = async (input: object) =>
      (await run(UPDATE, { input: { id, ...input } }, keys.testing)).updateWebhookEndpoint;
    expect(await update({})).toEqual({ webhookEndpoint: endpoint, userErrors: [] });
    const changed = { ...endpoint, name: "renamed", url: URL_OF("new"), events: [] };
    expect(await update({ name: "renamed", url: `${URL_OF("new")}#part`, events: [] })).toEqual({
      webhookEndpoint: changed,
      userErrors: [],
    });
    const off = await update({ enabled: false });
    expect(off.webhookEndpoint).toEqual({ ...changed, disabledAt: expect.any(String) });
    expect(await update({ enabled: false })).toEqual(off);
    expect(await update({ enabled: true })).toEqual({ webhookEndpoint: changed, userErrors: [] });

    const list = `query { webhookEndpoints(first: 1) { totalCount ${ENDPOINT.replace("webhookEndpoint", "nodes")} } }`;
    expect(await run(list, {}, keys.testing)).toEqual({
      webhookEndpoints: { totalCount: 2, nodes: [changed] },
    });
    expect(await run(`{ node(id: "${id}") { ... on WebhookEndpoint { name } } }`, {}, keys.testing)).toEqual({
      node: { name: "renamed" },
    });
    const remove = async () => (await run(DELETE, { input: { id } }, keys.testing)).deleteWebhookEndpoint;
    expect(await remove()).toEqual({ deletedWebhookEndpointId: id, userErrors: [] });
    expect((await remove()).userErrors).toEqual([
      { code: "WEBHOOK_ENDPOINT_NOT_FOUND", field: ["id"], message: "No webhook endpoint has this id." },
    ]);
  });

  test.each([
    [{ name: "" }, "name", "must not be empty"],
    [{ url: "http://93.184.216.34/" }, "url", "must be a URL that begins with https://"],
    [{ url: "https://user:pass@93.184.216.34/" }, "url", "must not hold a user name or a password"],
    [{ url: "https://2130706433/" }, "url", "must not lead to a private or reserved address"],
    [{ url: "https://[::ffff:10.0.0.1]/" }, "url", "must not lead to a private or reserved address"],
    [{ url: "https://localhost:4000/graphql" }, "url", "must not lead to a private or reserved address"],
  ])("are refused with %j", async (more, field, rule) => {
    const error = { code: "INVALID_FIELD", field: [field], message: `${field} ${rule}.` };
    expect(await create("refused", more)).toEqual({
      webhookEndpoint: null,
      secret: null,
      userErrors: [error],
    });
    const { webhookEndpoint } = await create("kept");
    const { run } = graphql();
    const input = { id: webhookEndpoint.id, ...more };
    expect((await run(UPDATE, { input })).updateWebhookEndpoint).toEqual({
      webhookEndpoint: null,
      userErrors: [error],
    });
    await run(DELETE, { input: { id: webhookEndpoint.id } });
  });

  test("take null for no value", async () => {
    const { run } = graphql();
    const { webhookEndpoint } = await create("nulls", { events: null });
    const { id } = webhookEndpoint;
    for (const field of ["name", "url", "events", "enabled"]) {
      const { updateWebhookEndpoint } = await run(UPDATE, { input: { id, [field]: null } });
      expect(updateWebhookEndpoint.userErrors).toMatchObject([{ code: "INVALID_FIELD", field: [field] }]);
    }
    await run(DELETE, { input: { id } });
  });

  test("are at most 20 in an environment", async () => {
    const { account, run } = graphql();
    const { secret: key } = await account.createKey({ environment: "Testing" });
    const made: string[] = [];
    let refusal = await create("many", {}, key);
    while (refusal.webhookEndpoint !== null && made.length < 30) {
      made.push(refusal.webhookEndpoint.id);
      refusal = await create("many", {}, key);
    }
    expect(refusal.userErrors).toMatchObject([
      { code: "INVALID_FIELD", field: null, message: "An environment has at most 20 webhook endpoints." },
    ]);
    for (const id of made) await run(DELETE, { input: { id } }, key);
  });

  test("and deliveries that do not exist are told", async () => {
    const { run } = graphql();
    for (const id of ["nonsense", Buffer.from("WebhookEndpoint:2147483647").toString("base64url")]) {
      for (const operation of [UPDATE, ROTATE, DELETE]) {
        const [payload] = Object.values(await run(operation, { input: { id } }));
        expect(payload).toMatchObject({
          userErrors: [{ code: "WEBHOOK_ENDPOINT_NOT_FOUND", field: ["id"] }],
        });
      }
    }
    for (const id of ["nonsense", Buffer.from("WebhookDelivery:9007199254740991").toString("base64url")]) {
      expect((await run(REPLAY, { input: { id } })).replayWebhookDelivery).toMatchObject({
        webhookDelivery: null,
        userErrors: [{ code: "WEBHOOK_DELIVERY_NOT_FOUND", field: ["id"] }],
      });
    }
  });
});

describe("deliveries", () => {
  let endpoints: { id: string }[];
  beforeAll(async () => {
    endpoints = [];
    for (const name of ["left", "right"]) endpoints.push((await create(name)).webhookEndpoint);
    for (const name of ["a", "b", "c"]) await createUserGroup(graphql(), name);
  });

  test("are listed newest first, page by page, with their endpoints in one statement", async () => {
    const { run, service } = graphql();
    const seen: unknown[] = [];
    let after: string | null = null;
    do {
      service.statements.length = 0;
      const data: Awaited<ReturnType<typeof run>> = await run(LIST, { first: 4, after });
      expect(service.statements.length).toBeLessThanOrEqual(4);
      const { nodes, pageInfo, totalCount } = data.webhookDeliveries;
      expect(totalCount).toBe(6);
      seen.push(...nodes);
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toMatchObject(
      ["c", "b", "a"].flatMap((providedId) =>
        ["right", "left"].map((name) => ({
          event: "USER_GROUP_CREATED",
          state: "PENDING",
          attempts: 0,
          nextAttemptAt: expect.any(String),
          endpoint: { name },
          payload: { type: "user_group.created", data: { userGroup: { providedId } } },
        })),
      ),
    );
  });

  test("are filtered by endpoint and state", async () => {
    const { run } = graphql();
    const count = async (filter: object) => (await run(LIST, { filter })).webhookDeliveries.totalCount;
    expect(await count({ endpointId: endpoints[0]?.id })).toBe(3);
    expect(await count({ endpointId: "nonsense" })).toBe(0);
    expect(await count({ state: "PENDING" })).toBe(6);
    expect(await count({ endpointId: endpoints[0]?.id, state: "DEAD" })).toBe(0);
  });

  test("are nodes; one that is pending is not replayed", async () => {
    const { run } = graphql();
    const [{ id }] = (await run(LIST, { first: 1 })).webhookDeliveries.nodes;
    const { node } = await run(`{ node(id: "${id}") { id ... on WebhookDelivery { state } } }`);
    expect(node).toEqual({ id, state: "PENDING" });
    expect((await run(REPLAY, { input: { id } })).replayWebhookDelivery).toEqual({
      webhookDelivery: { state: "PENDING" },
      userErrors: [],
    });
  });
});

test("only admin keys get at any of it", async () => {
  const { call, keys, account } = graphql();
  const { secret: writeKey } = await account.createKey({ scope: "write" });
  const { webhookEndpoint } = await create("private");
  const input = { id: webhookEndpoint.id };
  for (const key of [keys.read, writeKey]) {
    const calls = [
      call("{ webhookEndpoints { totalCount } }", {}, key),
      call(LIST, {}, key),
      call(CREATE, { input: { name: "", url: "" } }, key),
      ...[UPDATE, ROTATE, DELETE, REPLAY].map((operation) => call(operation, { input }, key)),
    ];
    for (const { body } of await Promise.all(calls))
      expect(body).toMatchObject({ errors: [{ extensions: { code: "FORBIDDEN" } }] });
    const { body } = await call(`{ node(id: "${input.id}") { id } }`, {}, key);
    expect(body).toEqual({ data: { node: null } });
  }
});

test("the operator sends for all accounts, but makes and changes no endpoint; without a scope there is nothing", async () => {
  const { service } = graphql();
  const operator = service.database.of("operator");
  for (const table of ["webhook_endpoint", "webhook_delivery"]) {
    const text = `SELECT * FROM ${table}`;
    expect(await operator.run({ text }, [])).toHaveLength((await service.query(text)).length);
    expect(await service.database.run({ text }, [])).toEqual([]);
  }
  const text = "UPDATE webhook_endpoint SET url = 'https://evil.example' RETURNING id";
  expect(await operator.run({ text }, [])).toEqual([]);
  expect(await operator.run({ text: "DELETE FROM webhook_endpoint RETURNING id" }, [])).toEqual([]);
});
