import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from "../../support/programs/pgbouncer.js";
import { callRest } from "../../support/rest/rest-client.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

/** Fewer than the concurrent requests, so that connections are shared all the time. */
const POOL = 3;

describe.skipIf(!hasPgbouncer)("behind PgBouncer in transaction mode", () => {
  let direct: TestService;
  let pgbouncer: Pgbouncer;
  let service: TestService;
  let secret: string;

  beforeAll(async () => {
    direct = await startTestService();
    pgbouncer = await startPgbouncer(direct.target, POOL);
    service = await startTestService({
      use: { target: pgbouncer.target, owner: direct.owner },
      pooled: true,
      listenTarget: direct.target,
    });
    const account = await service.createAccount();
    secret = (await account.createKey()).secret;
  });
  afterAll(async () => {
    await service.close();
    await pgbouncer.close();
    await direct.close();
  });

  const call = (method: string, body: object) => callRest(`${service.url}/api/user`, method, secret, body);

  test("rotations, entities and errors leave no tenant scope on a connection", async () => {
    const { token } = userGroupOf(await call("GET", { user_group_id: "rotated", name: "Rotated" }));
    const rotations = await Promise.all(
      Array.from({ length: 20 }, () => call("POST", { current_token: token })),
    );
    expect(rotations.filter(({ status }) => status === 200)).toHaveLength(1);
    const create =
      'mutation { createDataSource(input: { providedId: "one", name: "One" }) { userErrors { code } } }';
    const created = await Promise.all(
      Array.from({ length: 10 }, () => callGraphql(service.url, secret, create)),
    );
    const taken = created.filter(({ body }) => JSON.stringify(body).includes("DATA_SOURCE_EXISTS"));
    expect(taken).toHaveLength(9);
    expect(await service.database.run({ access: "read", text: "SELECT * FROM user_group" }, [])).toEqual([]);
  });

  test("statements have timeouts", async () => {
    const limits = await service.database.of({ accountId: 1 }).run<{ statement: string; lock: string }>(
      {
        access: "read",
        text: `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`,
      },
      [],
    );
    expect(limits).toEqual([{ statement: "10s", lock: "5s" }]);
  });

  test("a subscription listens on the database directly", async () => {
    await call("GET", { user_group_id: "watched", name: "Watched" });
    const watch = `subscription { userGroupChanged(by: { providedId: "watched" }) { kind userGroup { name } } }`;
    const stream = await openGroupStream(service.url, `Token ${secret}`, watch, {});
    await call("PUT", { user_group_id: "watched", name: "Changed" });
    expect(await stream.next()).toMatchObject({
      data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "Changed" } } },
    });
    stream.close();
  });
});
