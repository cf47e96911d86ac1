import { expect, test } from "vitest";
import type { Data } from "../../support/graphql/graphql-fixture.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createEndpoint } from "../../support/webhooks/operations.js";

const graphql = await startGraphql();
const { run, service } = graphql;

/** Every combination of the values that a status depends on, and the status. */
const ROWS = [false, true].flatMap((isDisabled) =>
  [false, true].flatMap((isFailing) =>
    [false, true].map((hasSucceeded) => {
      const active = isFailing ? "FAILING" : hasSucceeded ? "HEALTHY" : "UNKNOWN";
      return { isDisabled, isFailing, hasSucceeded, status: isDisabled ? "DISABLED" : active };
    }),
  ),
);

test("every endpoint has exactly one status, the same in the API and in metrics", async () => {
  for (const [index, { isDisabled, isFailing, hasSucceeded }] of ROWS.entries()) {
    await createEndpoint(graphql, `endpoint ${index}`, { url: `https://93.184.216.34/${index}` });
    await service.query(
      `UPDATE webhook_endpoint SET
        disabled_at = $2, disabled_reason = CASE WHEN $2::timestamptz IS NOT NULL THEN 'admin' END,
        consecutive_failures = CASE WHEN $3::timestamptz IS NOT NULL THEN 2 ELSE 0 END, failing_since = $3,
        last_failure_at = $3, last_success_at = $4
      WHERE name = $1`,
      // The time comes from here: Citus allows no now() in CASE.
      [`endpoint ${index}`, ...[isDisabled, isFailing, hasSucceeded].map((is) => (is ? new Date() : null))],
    );
  }
  const { webhookEndpoints } = await run(
    "{ webhookEndpoints(first: 100) { nodes { name health { status } } } }",
  );
  const statuses = new Map(webhookEndpoints.nodes.map(({ name, health }: Data) => [name, health.status]));
  expect([...statuses]).toEqual(ROWS.map(({ status }, index) => [`endpoint ${index}`, status]));
  const counts = async () => (await service.services.webhookDispatcher.state()).endpoints;
  expect(await counts()).toEqual({ unknown: 1, healthy: 1, failing: 2, disabled: 4 });
  // Deleted endpoints have none.
  await service.query(
    "UPDATE webhook_endpoint SET deleted_at = now() WHERE name IN ('endpoint 0', 'endpoint 7')",
  );
  expect(await counts()).toEqual({ unknown: 0, healthy: 1, failing: 2, disabled: 3 });
});
