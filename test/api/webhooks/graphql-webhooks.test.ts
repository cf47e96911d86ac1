import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import {
  CREATE,
  createEndpoint,
  DELETE,
  ENDPOINT,
  LIST,
  REPLAY,
  ROTATE,
  UPDATE,
  URL_OF,
} from "../../support/webhooks/operations.js";

const graphql = useGraphql();
const PRIVATE =
  "must not resolve to a private or reserved address (for development, WEBHOOK_ALLOW_PRIVATE=true allows it)";
const create = (name: string, more?: object, key?: string) => createEndpoint(graphql(), name, more, key);

describe("endpoints", () => {
  test("are created with a secret, listed without it, updated and deleted", async () => {
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
      { code: "WEBHOOK_ENDPOINT_NOT_FOUND", field: ["id"], message: "No webhook endpoint has this ID." },
    ]);
  });

  test.each([
    [{ name: "" }, "name", "must not be empty"],
    [
      { url: "http://93.184.216.34/" },
      "url",
      "must be a URL that starts with https:// (for development, WEBHOOK_ALLOW_PRIVATE=true allows http://)",
    ],
    [{ url: "https://user:pass@93.184.216.34/" }, "url", "must not contain a user name or password"],
    [{ url: "https://2130706433/" }, "url", PRIVATE],
    [{ url: "https://[::ffff:10.0.0.1]/" }, "url", PRIVATE],
    [{ url: "https://localhost:4000/graphql" }, "url", PRIVATE],
  ])("are rejected with %j", async (more, field, rule) => {
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

  test("treat null as no value", async () => {
    const { run } = graphql();
    const { webhookEndpoint } = await create("nulls", { events: null });
    const { id } = webhookEndpoint;
    for (const field of ["name", "url", "events", "enabled"]) {
      const { updateWebhookEndpoint } = await run(UPDATE, { input: { id, [field]: null } });
      expect(updateWebhookEndpoint.userErrors).toMatchObject([{ code: "INVALID_FIELD", field: [field] }]);
    }
    await run(DELETE, { input: { id } });
  });

  test("are limited to 20 per environment, also under concurrency; deleted ones do not count", async () => {
    const { account, run } = graphql();
    const { secret: key } = await account.createKey({ environment: "Testing" });
    const left = await run("{ webhookEndpoints(first: 100) { nodes { id } } }", {}, key);
    for (const { id } of left.webhookEndpoints.nodes) await run(DELETE, { input: { id } }, key);
    const createMany = async () => {
      const payloads = await Promise.all(Array.from({ length: 30 }, () => create("many", {}, key)));
      const made = payloads.flatMap(({ webhookEndpoint }) => (webhookEndpoint ? [webhookEndpoint.id] : []));
      return { made, refusals: payloads.flatMap(({ userErrors }) => userErrors) };
    };
    const { made, refusals } = await createMany();
    expect(made).toHaveLength(20);
    const refusal = {
      code: "INVALID_FIELD",
      field: null,
      message: "An environment can have at most 20 webhook endpoints. Delete one first.",
    };
    expect(refusals).toEqual(Array(10).fill(refusal));
    await run(DELETE, { input: { id: made[0] } }, key);
    expect((await createMany()).made).toHaveLength(1);
    expect(await run("{ webhookEndpoints { totalCount } }", {}, key)).toEqual({
      webhookEndpoints: { totalCount: 20 },
    });
    const all = await run("{ webhookEndpoints(first: 100) { nodes { id } } }", {}, key);
    for (const { id } of all.webhookEndpoints.nodes) await run(DELETE, { input: { id } }, key);
  });

  test("and deliveries that do not exist are reported", async () => {
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

test("are recorded in the audit log with each change and its actor", async () => {
  const { run } = graphql();
  const { id } = (await create("audited")).webhookEndpoint;
  const update = (input: object) => run(UPDATE, { input: { id, ...input } });
  await update({});
  await update({ url: URL_OF("elsewhere"), events: ["USER_GROUP_CREATED"] });
  await update({ enabled: false });
  await run(ROTATE, { input: { id } });
  await run(DELETE, { input: { id } });
  const { auditLog } = await run(
    '{ auditLog(filter: { subjectName: "audited" }) { nodes { action subjectId changed actorName } } }',
  );
  expect(auditLog.nodes.toReversed()).toEqual(
    [
      ["CREATED", []],
      ["UPDATED", ["url", "events"]],
      ["UPDATED", ["enabled"]],
      ["UPDATED", ["secret"]],
      ["DELETED", []],
    ].map(([action, changed]) => ({
      action: `WEBHOOK_ENDPOINT_${action}`,
      subjectId: id,
      changed,
      actorName: "test",
    })),
  );
});

test("are accessible to admin keys only", async () => {
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

test("the operator delivers for all accounts but cannot change endpoints; without a scope nothing is visible", async () => {
  const { service } = graphql();
  const operator = service.database.of("operator");
  for (const table of ["webhook_endpoint", "webhook_delivery"]) {
    const text = `SELECT * FROM ${table}`;
    expect(await operator.run({ access: "write", text }, [])).toHaveLength(
      (await service.query(text)).length,
    );
    expect(await service.database.run({ access: "write", text }, [])).toEqual([]);
  }
  const text = "UPDATE webhook_endpoint SET url = 'https://evil.example' RETURNING id";
  expect(await operator.run({ access: "write", text }, [])).toEqual([]);
  expect(
    await operator.run({ access: "write", text: "DELETE FROM webhook_endpoint RETURNING id" }, []),
  ).toEqual([]);
});
