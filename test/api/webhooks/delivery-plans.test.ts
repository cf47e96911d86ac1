import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toNodeId } from "../../../src/graphql/shared/node.js";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { type RecordedPlan, recordPlans } from "../../support/postgres/plan-recorder.js";
import { LIST } from "../../support/webhooks/operations.js";

const { account, run, service } = await startGraphql();
beforeEach((context) => skipOnCitus(context, "plans"));
const PAGE = 10;
let plans: RecordedPlan[];

/** Assigns all deliveries of the database to one endpoint, as in a new installation. */
beforeAll(async () => {
  await service.query(`
    SET session_replication_role = replica;
    INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext)
      VALUES (${account.accountId}, 'Customer', 'Name', 'https://93.184.216.34/', '{}', '', '');
    INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload, state)
      SELECT ${account.accountId}, 'Customer', (SELECT id FROM webhook_endpoint), gen_random_uuid(), 'user_group.updated',
        'user_group:1', '{}',
        (CASE WHEN n % 50 = 0 THEN 'dead' WHEN n % 20 = 1 THEN 'pending' ELSE 'delivered' END)::webhook_delivery_state
      FROM generate_series(1, 10000) AS n;
    SET session_replication_role = origin`);
  await service.query("ANALYZE");
  plans = recordPlans(service);
});

describe("a page of deliveries of an endpoint", () => {
  const MAX_BLOCKS = 60;
  const ids = new Map<string, string>();

  /** Deliveries of each endpoint lie between those of others; `mixed` has those of the tests above. */
  beforeAll(async () => {
    await service.query(`
      SET session_replication_role = replica;
      UPDATE webhook_endpoint SET name = 'mixed';
      INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext, deleted_at)
        SELECT account_id, environment, name, url, events, '', '', CASE name WHEN 'deleted' THEN now() END
        FROM (SELECT account_id, environment, url, events FROM webhook_endpoint) AS one,
          unnest(ARRAY['delivered', 'pending', 'dead', 'deleted', 'unused']) AS name;
      INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload, state)
        SELECT account_id, environment, id, gen_random_uuid(), 'user_group.updated', 'user_group:' || n, '{}',
          (CASE name WHEN 'deleted' THEN 'dead' ELSE name END)::webhook_delivery_state
        FROM generate_series(1, 5000) AS n, webhook_endpoint WHERE name NOT IN ('mixed', 'unused');
      SET session_replication_role = origin`);
    await service.query("ANALYZE");
    const rows = await service.query("SELECT name, id::integer FROM webhook_endpoint");
    for (const { name, id } of rows) ids.set(name, toNodeId("WebhookEndpoint", id));
  });

  const endpoints = ["mixed", "delivered", "pending", "dead", "deleted", "unused"];
  const states = ["PENDING", "DELIVERED", "DEAD"];
  test.each(
    endpoints.flatMap((name) =>
      [undefined, ...states].map((state) => [name, state ?? "any", state] as const),
    ),
  )("reads few blocks at both ends: endpoint %s, state %s", async (name, _, state) => {
    const filter = { endpointId: ids.get(name), state };
    const has =
      name === "mixed" ||
      state?.toLowerCase() === name ||
      (state === undefined && states.includes(name.toUpperCase()));
    for (const page of [{ first: PAGE }, { last: PAGE }]) {
      const { webhookDeliveries } = await run(LIST, { ...page, filter });
      expect(webhookDeliveries.nodes).toHaveLength(has ? PAGE : 0);
      const found = plans.splice(0).find(({ text }) => /FROM webhook_delivery.*ORDER BY/s.test(text));
      expect(found && found.plan["Shared Hit Blocks"] + found.plan["Shared Read Blocks"]).toBeLessThan(
        MAX_BLOCKS,
      );
    }
  });
});
