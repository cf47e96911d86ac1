import { Client } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import {
  startService,
  startTestService,
  type TestAccount,
  type TestService,
} from "../../support/service/test-service.js";

const error = { code: "unavailable", message: "The request took too long. Try again shortly." };

const base = await startService();
const holder = new Client(clientOptions(base.owner));
await holder.connect();
afterAll(() => holder.end());

async function createGroup({ url }: TestService, account: TestAccount) {
  const { secret } = await account.createKey();
  const { status, body } = await callRest(`${url}/api/user`, "GET", secret, {
    user_group_id: "crowd",
    name: "Crowd",
  });
  expect(status).toBe(200);
  return { secret, token: String(Object(body).user_group.token) };
}

/** The number of executions of each statement. */
async function sentBy({ services }: TestService): Promise<Record<string, number>> {
  const sent: Record<string, number> = {};
  const { values } = await services.telemetry.metrics.database.statements.get();
  for (const { metricName, labels, value } of values) {
    const name = String(labels.statement);
    if (metricName?.endsWith("_count")) sent[name] = (sent[name] ?? 0) + value;
  }
  return sent;
}

describe.each([
  ["unbatched", { batchStatements: false, keyCacheMs: 0 }],
  ["batched", { batchStatements: true, keyCacheMs: 500 }],
])("a request waiting for a connection at its deadline, with %s statements,", (_how, speed) => {
  test("is not sent later, whatever statement authenticates the caller", async () => {
    const service = await startTestService({
      use: base,
      poolSize: 1,
      requestTimeoutMs: 500,
      lockTimeoutMs: 8000,
      speed,
    });
    onTestFinished(async () => {
      await holder.query("ROLLBACK");
      await service.close();
    });
    const account = await service.createAccount();
    const { secret, token } = await createGroup(service, account);
    const { url } = service;
    const { secret: fresh } = await account.createKey();
    const asBearer = (bearer: string) =>
      callRest(
        `${url}/graphql`,
        "POST",
        undefined,
        { query: "{ viewer { __typename } }" },
        {
          authorization: `Bearer ${bearer}`,
        },
      );
    // The authentication statements for each kind of caller.
    expect((await asBearer(token)).status).toBe(200);
    expect((await asBearer("brought-from-elsewhere")).status).toBe(401);
    expect((await callRest(`${url}/site-config/none?account=${account.name}`, "GET", undefined)).status).toBe(
      404,
    );
    expect(await sentBy(service)).toMatchObject({ api_key_by_hash: 1, brought_token_places: 1 });

    await holder.query("BEGIN");
    await holder.query("SELECT FROM user_group WHERE account_id = $1 FOR UPDATE", [account.accountId]);
    const change = callRest(`${url}/api/user`, "PUT", secret, { user_group_id: "crowd", name: "Waits" });
    // Not by its lock, which is on a worker of Citus.
    const waiting = `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query LIKE '%compared AS (%'
        AND pid <> pg_backend_pid()`;
    await expect.poll(() => base.query(waiting), { interval: 20 }).toEqual([{ count: 1 }]);
    const before = await sentBy(service);
    const watch = `subscription { userGroupChanged(by: { providedId: "crowd" }) { kind } }`;
    const stream = openEventStream(url, `Token ${secret}`, watch);
    const [changed, ...replies] = await Promise.all([
      change,
      asBearer(token),
      asBearer("brought-from-elsewhere"),
      callRest(`${url}/api/user`, "GET", fresh, { user_group_id: "crowd" }),
      callRest(`${url}/api/user`, "GET", secret, { user_group_id: "late", name: "Late" }),
      callRest(`${url}/api/user`, "PUT", secret, { user_group_id: "crowd", name: "Late" }),
      callRest(`${url}/site-config/none`, "GET", fresh),
      callRest(`${url}/site-config/none?account=${account.name}`, "GET", undefined),
    ]);
    expectError(changed, 503, error);
    for (const { status, headers } of [...replies, await stream])
      expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    await holder.query("ROLLBACK");
    await expect.poll(() => service.database.poolUsage).toMatchObject({ used: 0, waiting: 0 });
    expect(service.services.eventStreams.open).toBe(0);
    const after = Object.entries(await sentBy(service)).filter(([name, count]) => count !== before[name]);
    // The statement that had the connection completes, and its change is notified.
    expect(after.filter(([name]) => name !== "notify_changes")).toEqual([
      ["user_group_update_by_providedId", 1],
    ]);
  });
});
