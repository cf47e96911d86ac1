import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createContext } from "../../../src/graphql/shared/context.js";
import { loadUserGroup } from "../../../src/graphql/user-groups/by.js";
import { UserGroupWatcher } from "../../../src/graphql/user-groups/watcher.js";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService, type TestAccount, type TestService } from "../../support/service/test-service.js";

const TOO_LONG = "The request took too long. Try again shortly.";

let base: TestService;
let holder: Client;
beforeAll(async () => {
  base = await startTestService();
  holder = new Client(clientOptions(base.owner));
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await base.close();
});

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
  const { values } = await services.telemetry.metrics.databases.statements.get();
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
      WHERE datname = current_database() AND state = 'active' AND query LIKE '%UPDATE user_group SET%'
        AND pid <> pg_backend_pid()`;
    await expect.poll(() => base.query(waiting), { interval: 20 }).toEqual([{ count: 1 }]);
    const before = await sentBy(service);
    const replies = await Promise.all([
      change,
      asBearer(token),
      asBearer("brought-from-elsewhere"),
      callRest(`${url}/api/user`, "GET", fresh, { user_group_id: "crowd" }),
      callRest(`${url}/api/user`, "GET", secret, { user_group_id: "late", name: "Late" }),
      callRest(`${url}/api/user`, "PUT", secret, { user_group_id: "crowd", name: "Late" }),
      callRest(`${url}/site-config/none`, "GET", fresh),
      callRest(`${url}/site-config/none?account=${account.name}`, "GET", undefined),
    ]);
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 503));
    await holder.query("ROLLBACK");
    await expect.poll(() => service.database.poolUsage).toMatchObject({ used: 0, waiting: 0 });
    const after = Object.entries(await sentBy(service)).filter(([name, count]) => count !== before[name]);
    // The statement that had the connection completes, and its change is notified.
    expect(after.filter(([name]) => name !== "notify_changes")).toEqual([
      ["user_group_update_by_providedId", 1],
    ]);
  });
});

test("a front end's statements have its request's deadline", async () => {
  const { services } = base;
  const { token } = await createGroup(base, await base.createAccount());
  const authorization = `Bearer ${token}`;
  const address = "127.0.0.1";
  const deadline = { isOver: false };
  const context = await createContext(services, new UserGroupWatcher(services.userGroupWatches), {
    id: "1",
    identity: await services.access.identify(authorization, { requestId: "1", address, deadline }),
    authorization,
    idempotencyKey: undefined,
    consistency: undefined,
    address,
    recordWrite: () => undefined,
  });
  const loaders = context.session?.loaders;
  if (!loaders) throw new Error("The key was not accepted.");
  const load = () => loadUserGroup(loaders, { by: "providedId", providedId: "crowd" });
  expect(await load()).toMatchObject({ name: "Crowd" });
  deadline.isOver = true;
  await expect(load()).rejects.toThrow(TOO_LONG);
  await expect(
    services.access.identify(authorization, { requestId: "2", address, deadline }),
  ).rejects.toThrow(TOO_LONG);
});

test("a key lookup shared by several requests has the latest of their deadlines", async () => {
  const service = await startTestService({ use: base, poolSize: 1, speed: { keyCacheMs: 1000 } });
  onTestFinished(() => service.close());
  const { secret } = await (await service.createAccount()).createKey();
  const find = (deadline: { isOver: boolean }) =>
    service.services.access.authenticate(`Token ${secret}`, {
      requestId: "1",
      address: "127.0.0.1",
      deadline,
    });
  const [early, late] = [{ isOver: false }, { isOver: false }];
  const found = await service.database.transaction("operator", async () => {
    const both = [find(early), find(late)];
    early.isOver = true;
    return { both };
  });
  const [, second] = await Promise.allSettled(found.both);
  expect(second).toMatchObject({ status: "fulfilled", value: { deadline: late } });
});
