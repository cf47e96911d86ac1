import { beforeAll, describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import {
  createEndpoint,
  DELETE,
  LIST,
  REPLAY,
  SEND_TEST,
  UPDATE,
} from "../../support/webhooks/operations.js";

const graphql = useGraphql();

describe("deliveries", () => {
  let endpoints: { id: string }[];
  beforeAll(async () => {
    endpoints = [];
    for (const name of ["left", "right"])
      endpoints.push((await createEndpoint(graphql(), name)).webhookEndpoint);
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

  test("of test events: at most one per endpoint is pending, and none is sent to a disabled endpoint", async () => {
    const { run } = graphql();
    const { id } = (await createEndpoint(graphql(), "tried")).webhookEndpoint;
    const send = async () => (await run(SEND_TEST, { input: { id } })).sendTestWebhook;
    const [first, ...others] = await Promise.all([send(), send(), send()]);
    expect(first).toMatchObject({
      webhookDelivery: { event: "WEBHOOK_ENDPOINT_TEST", state: "PENDING" },
      userErrors: [],
    });
    expect(others).toEqual([first, first]);
    await run(UPDATE, { input: { id, enabled: false } });
    expect(await send()).toMatchObject({
      webhookDelivery: null,
      userErrors: [{ code: "INVALID_FIELD", field: ["id"] }],
    });
    await run(DELETE, { input: { id } });
    expect(await send()).toMatchObject({ userErrors: [{ code: "WEBHOOK_ENDPOINT_NOT_FOUND" }] });
  });

  test("are nodes; a pending one cannot be replayed", async () => {
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
