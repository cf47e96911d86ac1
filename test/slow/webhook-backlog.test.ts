import { afterAll, beforeAll, expect, test } from "vitest";
import { claimDeliveries, findDueEndpoints } from "../../src/persistence/webhooks/outbox.js";
import { startTestService, type TestService } from "../support/service/test-service.js";
import { createTenant } from "../support/webhooks/tenant.js";

const MAX_BLOCKS = 500;
let service: TestService;
let endpointId: number;
beforeAll(async () => {
  service = await startTestService({ webhooks: { allowPrivate: true } });
  for (let count = 0; count < 2; count += 1)
    await (await createTenant(service)).listen("http://127.0.0.1:1/hook");
  [{ id: endpointId }] = await service.query("SELECT min(id)::integer AS id FROM webhook_endpoint");
});
afterAll(() => service.close());

/** Adds deliveries, several per subject, to the endpoints that meet a condition. */
async function add(count: number, subjects: number, state: string, condition: string): Promise<void> {
  await service.query(`INSERT INTO webhook_delivery
      (account_id, environment, endpoint_id, event_id, event, subject, payload, state)
    SELECT account_id, environment, id, gen_random_uuid(), 'user_group.updated', 'user_group:' || n % ${subjects}, '{}',
      '${state}'
    FROM webhook_endpoint, generate_series(1, ${count}) AS n WHERE ${condition}`);
}

/** The number of blocks read to find endpoints with due deliveries and to claim some, with the current plan. */
async function blocksOfClaim(): Promise<number> {
  const operator = service.database.of("operator");
  service.statements.length = 0;
  const due = await findDueEndpoints(operator);
  expect(due).toMatchObject([{ endpointId, hasAnswered: false, isProbed: false }]);
  const grants = due.map((endpoint) => ({ endpoint, slots: 4 }));
  const [endpoint] = due;
  if (!endpoint) throw new Error("There is one.");
  const { accountId, environment, dueAt, id } = endpoint;
  expect(await claimDeliveries(service.database.for(endpoint), grants, 0)).toHaveLength(4);
  const [find = "", claim = ""] = service.statements;
  const ids = [accountId, environment, [endpointId], [4], [dueAt], [id], 0];
  return (await blocksOf(find, [])) + (await blocksOf(claim, ids));
}

async function blocksOf(text: string, values: readonly unknown[]): Promise<number> {
  const [row] = await service.database
    .of("operator")
    .run<{ "QUERY PLAN": { Plan: { "Shared Hit Blocks": number } }[] }>(
      { access: "write", plan: "inIndexOrder", text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}` },
      values,
    );
  return row?.["QUERY PLAN"][0]?.Plan["Shared Hit Blocks"] ?? Number.NaN;
}

test("due deliveries are found as quickly in a long backlog, whatever the table statistics", async () => {
  await add(20_000, 5000, "delivered", "true");
  for (const [count, subjects] of [
    [2000, 1000],
    [6000, 4000],
    [22_000, 10_000],
  ] as const) {
    await add(count, subjects, "pending", `id = ${endpointId}`);
    expect(await blocksOfClaim()).toBeLessThan(MAX_BLOCKS);
    await service.query("VACUUM ANALYZE webhook_delivery");
    expect(await blocksOfClaim()).toBeLessThan(MAX_BLOCKS);
  }
});
