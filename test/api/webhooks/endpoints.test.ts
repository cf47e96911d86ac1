import { describe, expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { createEndpoint, ENDPOINT, LIST, URL_OF } from "../../support/webhooks/operations.js";

const graphql = await startGraphql();
const { keys, mutate, run, service } = graphql;
const create = (name: string, more?: object, key?: string) => createEndpoint(graphql, name, more, key);
const update = (input: object, key?: string): Promise<Data> =>
  mutate("updateWebhookEndpoint", input, ENDPOINT, key);
const remove = (id: string, key?: string): Promise<Data> =>
  mutate("deleteWebhookEndpoint", { id }, "deletedWebhookEndpointId", key);
const ofDelivery = (name: string, id: string): Promise<Data> =>
  mutate(name, { id }, "webhookDelivery { id event state }");

describe("endpoints", () => {
  test("are created with a secret, listed without it, updated and deleted", async () => {
    const key = keys.testing;
    const made = await create("first", { events: ["USER_GROUP_DELETED"] }, key);
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
    expect((await create("second", {}, key)).webhookEndpoint.events).toEqual([]);
    const { webhookEndpoint: idle } = await create("idle", { enabled: false }, key);
    expect(idle.disabledAt).toEqual(expect.any(String));
    await remove(idle.id, key);

    const changed = { ...endpoint, name: "renamed", url: URL_OF("new"), events: [] };
    const off = { ...changed, disabledAt: expect.any(String) };
    const steps: readonly (readonly [input: object, endpoint: object])[] = [
      [{}, endpoint],
      [{ name: "renamed", url: `${URL_OF("new")}#part`, events: [] }, changed],
      [{ enabled: false }, off],
      [{ enabled: false }, off],
      [{ enabled: true }, changed],
    ];
    for (const [input, webhookEndpoint] of steps)
      expect(await update({ id, ...input }, key)).toEqual({ webhookEndpoint, userErrors: [] });

    const list = `{ webhookEndpoints(first: 1) { totalCount ${ENDPOINT.replace("webhookEndpoint", "nodes")} } }`;
    expect(await run(list, {}, key)).toEqual({ webhookEndpoints: { totalCount: 2, nodes: [changed] } });
    expect(await run(`{ node(id: "${id}") { ... on WebhookEndpoint { name } } }`, {}, key)).toEqual({
      node: { name: "renamed" },
    });
    expect(await remove(id, key)).toEqual({ deletedWebhookEndpointId: id, userErrors: [] });
    const missing = {
      code: "WEBHOOK_ENDPOINT_NOT_FOUND",
      field: ["id"],
      message: "No webhook endpoint has this ID.",
    };
    expect(await remove(id, key)).toEqual({ deletedWebhookEndpointId: null, userErrors: [missing] });
  });

  const PRIVATE =
    "must not resolve to a private or reserved address (for development, WEBHOOK_ALLOW_PRIVATE=true allows it)";
  const HTTPS =
    "must be a URL that starts with https:// (for development, WEBHOOK_ALLOW_PRIVATE=true allows http://)";

  test.each([
    [{ name: "" }, "name must not be empty"],
    [{ url: "http://93.184.216.34/" }, `url ${HTTPS}`],
    [{ url: "https://user:pass@93.184.216.34/" }, "url must not contain a user name or password"],
    [{ url: "https://2130706433/" }, `url ${PRIVATE}`],
    [{ url: "https://[::ffff:10.0.0.1]/" }, `url ${PRIVATE}`],
    [{ url: "https://localhost:4000/graphql" }, `url ${PRIVATE}`],
  ])("are neither created nor updated with %j", async (more, message) => {
    const error = { code: "INVALID_FIELD", field: Object.keys(more), message: `${message}.` };
    const refused = { webhookEndpoint: null, userErrors: [error] };
    expect(await create("refused", more)).toEqual({ ...refused, secret: null });
    const { id } = (await create("kept")).webhookEndpoint;
    expect(await update({ id, ...more })).toEqual(refused);
    await remove(id);
  });

  test("have different names, also under concurrency; that of a deleted one is free", async () => {
    const { secret: key } = await (await service.createAccount()).createKey();
    const attempts = await Promise.all(Array.from({ length: 5 }, () => create("billing", {}, key)));
    const [made, ...others] = attempts.filter(({ webhookEndpoint }) => webhookEndpoint);
    expect(others).toEqual([]);
    const taken = {
      code: "INVALID_FIELD",
      field: ["name"],
      message: "name must not be that of another webhook endpoint; choose another one.",
    };
    expect(attempts.filter(({ webhookEndpoint }) => !webhookEndpoint)).toEqual(
      Array.from({ length: 4 }, () => ({ webhookEndpoint: null, secret: null, userErrors: [taken] })),
    );
    const { id } = (await create("crm", {}, key)).webhookEndpoint;
    expect(await update({ id, name: "billing" }, key)).toEqual({
      webhookEndpoint: null,
      userErrors: [taken],
    });
    expect((await update({ id, name: "crm", enabled: false }, key)).userErrors).toEqual([]);
    await remove(made.webhookEndpoint.id, key);
    const renamed = await Promise.all([update({ id, name: "billing" }, key), create("billing", {}, key)]);
    expect(renamed.flatMap(({ userErrors }) => userErrors)).toEqual([taken]);
  });

  test("refuse null", async () => {
    for (const field of ["events", "enabled"]) {
      const { webhookEndpoint, userErrors: refused } = await create("null", { [field]: null });
      expect([webhookEndpoint, refused]).toMatchObject([null, [{ code: "INVALID_FIELD", field: [field] }]]);
    }
    const { id } = (await create("nulls", {})).webhookEndpoint;
    for (const field of ["name", "url", "events", "enabled"]) {
      const { userErrors } = await update({ id, [field]: null });
      expect(userErrors).toMatchObject([{ code: "INVALID_FIELD", field: [field] }]);
    }
    await remove(id);
  });

  test("are limited to 20 per environment, also under concurrency; deleted ones do not count", async () => {
    const { secret: key } = await (await service.createAccount()).createKey();
    const createMany = async (name: string) => {
      const names = Array.from({ length: 30 }, (_, index) => `${name}-${index}`);
      const payloads = await Promise.all(names.map((each) => create(each, {}, key)));
      const made = payloads.flatMap(({ webhookEndpoint }) => (webhookEndpoint ? [webhookEndpoint.id] : []));
      return { made, refusals: payloads.flatMap(({ userErrors }) => userErrors) };
    };
    const { made, refusals } = await createMany("first");
    expect(made).toHaveLength(20);
    const message = "An environment can have at most 20 webhook endpoints. Delete one first.";
    expect(refusals).toEqual(Array(10).fill({ code: "INVALID_FIELD", field: null, message }));
    await remove(made[0], key);
    expect((await createMany("second")).made).toHaveLength(1);
    const { webhookEndpoints } = await run("{ webhookEndpoints { totalCount } }", {}, key);
    expect(webhookEndpoints.totalCount).toBe(20);
  });

  test.each([
    ["updateWebhookEndpoint", "WebhookEndpoint:2147483647", "WEBHOOK_ENDPOINT_NOT_FOUND"],
    ["rotateWebhookSecret", "WebhookEndpoint:2147483647", "WEBHOOK_ENDPOINT_NOT_FOUND"],
    ["deleteWebhookEndpoint", "WebhookEndpoint:2147483647", "WEBHOOK_ENDPOINT_NOT_FOUND"],
    ["replayWebhookDelivery", "WebhookDelivery:9007199254740991", "WEBHOOK_DELIVERY_NOT_FOUND"],
  ])("that do not exist are reported by %s: %s", async (mutation, node, code) => {
    for (const id of ["nonsense", Buffer.from(node).toString("base64url")]) {
      const { userErrors } = await mutate(mutation, { id });
      expect(userErrors).toMatchObject([{ code, field: ["id"] }]);
    }
  });
});

describe("deliveries", () => {
  test("are listed newest first, page by page, with their endpoints in one statement, and filtered", async () => {
    const { secret: key } = await (await service.createAccount()).createKey();
    const [left] = [await create("left", {}, key), await create("right", {}, key)];
    for (const name of ["a", "b", "c"]) await createUserGroup(graphql, name, {}, key);
    const seen: unknown[] = [];
    let after: string | null = null;
    do {
      service.statements.length = 0;
      const data: Data = await run(LIST, { first: 4, after }, key);
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
    const endpointId = left?.webhookEndpoint.id;
    const filters: readonly (readonly [filter: object, count: number])[] = [
      [{ endpointId }, 3],
      [{ endpointId: "nonsense" }, 0],
      [{ state: "PENDING" }, 6],
      [{ endpointId, state: "DEAD" }, 0],
    ];
    for (const [filter, count] of filters)
      expect((await run(LIST, { filter }, key)).webhookDeliveries.totalCount).toBe(count);
  });

  test("of test events: at most one per endpoint is pending, and none is sent to a disabled endpoint", async () => {
    const { id } = (await create("tried")).webhookEndpoint;
    const send = () => ofDelivery("sendTestWebhook", id);
    const [first, ...others] = await Promise.all([send(), send(), send()]);
    const webhookDelivery = { id: expect.any(String), event: "WEBHOOK_ENDPOINT_TEST", state: "PENDING" };
    expect(first).toEqual({ webhookDelivery, userErrors: [] });
    expect(others).toEqual([first, first]);
    await update({ id, enabled: false });
    expect(await send()).toMatchObject({
      webhookDelivery: null,
      userErrors: [{ code: "INVALID_FIELD", field: ["id"] }],
    });
    await remove(id);
    expect(await send()).toMatchObject({ userErrors: [{ code: "WEBHOOK_ENDPOINT_NOT_FOUND" }] });
  });

  test("are nodes; a pending one cannot be replayed", async () => {
    await create("pending");
    await createUserGroup(graphql, "pending");
    const [{ id, event, state }] = (await run(LIST, { first: 1 })).webhookDeliveries.nodes;
    expect(await run(`{ node(id: "${id}") { id ... on WebhookDelivery { event state } } }`)).toEqual({
      node: { id, event, state: "PENDING" },
    });
    expect(await ofDelivery("replayWebhookDelivery", id)).toEqual({
      webhookDelivery: { id, event, state },
      userErrors: [],
    });
  });
});
