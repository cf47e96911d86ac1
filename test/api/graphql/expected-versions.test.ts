import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { URL_OF } from "../../support/webhooks/operations.js";

const graphql = await startGraphql();
const { mutate, run } = graphql;

/** How an object with a version is created and changed. */
const OBJECTS = [
  {
    type: "DataSource",
    object: "data source",
    fields: { providedId: "warehouse", name: "Warehouse" },
    change: { name: "Sales EU" },
    isIdentifiedBy: "by",
  },
  {
    type: "WebhookEndpoint",
    object: "webhook endpoint",
    fields: { name: "billing", url: URL_OF("billing") },
    change: { enabled: false },
    isIdentifiedBy: "id",
  },
  {
    type: "SessionTemplate",
    object: "session template",
    fields: { name: "metabase", algorithm: "HS256", secret: "0123456789abcdef", claims: {} },
    change: { lifetimeSeconds: 120 },
    isIdentifiedBy: "by",
  },
] as const;

test.each(OBJECTS)("a $object is changed and deleted at the version that was read only", async (each) => {
  const { type, object, fields, change } = each;
  const field = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const created = await mutate(`create${type}`, fields, `${field} { id version }`);
  const { id, version } = created[field];
  expect(version).toBe(1);
  const target = each.isIdentifiedBy === "by" ? { by: { id } } : { id };
  const update = (input: object) => mutate(`update${type}`, { ...target, ...input }, `${field} { version }`);
  const refusal = (expected: number) => [
    {
      code: "VERSION_CONFLICT",
      field: ["expectedVersion"],
      message: `The ${object} has version 2, not ${expected}. Read it again.`,
    },
  ];
  expect(await update({ ...change, expectedVersion: 1 })).toEqual({
    [field]: { version: 2 },
    userErrors: [],
  });
  expect(await update({ ...change, expectedVersion: 1 })).toEqual({
    [field]: null,
    userErrors: refusal(1),
  });
  // An equal write is no change.
  expect(await update({ ...change, expectedVersion: 2 })).toMatchObject({ [field]: { version: 2 } });
  const remove = (input: object) => mutate(`delete${type}`, { ...target, ...input }, `deleted${type}Id`);
  expect(await remove({ expectedVersion: 3 })).toEqual({
    [`deleted${type}Id`]: null,
    userErrors: refusal(3),
  });
  expect(await remove({ expectedVersion: 2 })).toEqual({ [`deleted${type}Id`]: id, userErrors: [] });
});

test("of two concurrent changes of a data source that expect the same version, one is refused", async () => {
  await mutate("createDataSource", { providedId: "orders", name: "Orders" });
  const changes = await Promise.all(
    ["A", "B", "C"].map((name) =>
      mutate("updateDataSource", { by: { providedId: "orders" }, name, expectedVersion: 1 }),
    ),
  );
  const refused = changes.filter(({ userErrors }) => userErrors.length > 0);
  expect(refused).toHaveLength(2);
  const { dataSource } = await run('{ dataSource(by: { providedId: "orders" }) { version } }');
  expect(dataSource.version).toBe(2);
});

test("a new secret and the end of a pause leave the version of a webhook endpoint", async () => {
  const { webhookEndpoint } = await mutate(
    "createWebhookEndpoint",
    { name: "crm", url: URL_OF("crm") },
    "webhookEndpoint { id }",
  );
  const { id } = webhookEndpoint;
  await graphql.service.query(
    "UPDATE webhook_endpoint SET consecutive_failures = 9, paused_until = now() + interval '1 day' WHERE account_id = $1",
    [graphql.account.accountId],
  );
  const version = "webhookEndpoint { version }";
  expect(await mutate("rotateWebhookSecret", { id }, version)).toMatchObject({
    webhookEndpoint: { version: 1 },
  });
  expect(await mutate("updateWebhookEndpoint", { id, enabled: true }, version)).toMatchObject({
    webhookEndpoint: { version: 1 },
  });
});
