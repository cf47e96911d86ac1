import { expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";

const graphql = useGraphql();

test("counts the changes of each day", async () => {
  const { run, call, service, account } = graphql();
  await service.query(`INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, created_at)
    SELECT ${account.accountId}, 'Customer', 'user_group.deleted', 1, 'counted', '{}', 'operator', day
    FROM unnest(ARRAY[now() - interval '2 days', now() - interval '2 days', now() - interval '3 days']) AS day`);
  const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const { auditDays } = await run("{ auditDays(days: 3) { date changes } }");
  expect(auditDays).toEqual([
    { date: dayBefore(2), changes: 2 },
    { date: dayBefore(1), changes: 0 },
    { date: dayBefore(0), changes: expect.any(Number) },
  ]);
  for (const days of [0, 91]) {
    const { body } = await call(`{ auditDays(days: ${days}) { date } }`);
    expect(body).toMatchObject({ errors: [{ extensions: { code: "INVALID_FIELD", field: ["days"] } }] });
  }
});

test("embed sessions count as use of their API key, not as changes", async () => {
  const { run, mutate, keys } = graphql();
  await createUserGroup(graphql(), "embedded");
  const COUNT =
    "{ auditDays(days: 1) { changes } apiKeys(first: 100) { nodes { hint auditDays { changes } } } }";
  const count = async () => {
    const { auditDays, apiKeys } = await run(COUNT);
    const key = apiKeys.nodes.find(({ hint }: { hint: string }) => hint.endsWith(keys.embed.slice(-4)));
    return { changes: auditDays[0].changes, uses: key.auditDays.at(-1).changes };
  };
  const before = await count();
  const { userErrors } = await mutate(
    "createEmbedSession",
    { by: { providedId: "embedded" } },
    "",
    keys.embed,
  );
  expect(userErrors).toEqual([]);
  expect(before.uses).toBe(0);
  expect(await count()).toEqual({ changes: before.changes, uses: 1 });
});

test("counts the changes of each API key on each day, with one statement", async () => {
  const { run, service, account } = graphql();
  const [one, other] = [await account.createKey(), await account.createKey({ scope: "read" })];
  await service.query(
    `INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, actor_key_id, created_at)
    SELECT ${account.accountId}, environment::environment, 'user_group.deleted', 1, 'counted', '{}', 'test', $1, now() - days * interval '1 day'
    FROM (VALUES ('Customer', 2), ('Customer', 2), ('Customer', 29), ('Customer', 30), ('Testing', 2)) AS entry (environment, days)`,
    [one.id],
  );
  service.statements.length = 0;
  const { apiKeys } = await run("{ apiKeys(first: 100) { nodes { hint auditDays { changes } } } }");
  expect(service.statements.filter((text) => text.includes("FROM audit_entry"))).toHaveLength(1);
  const changesOf = (secret: string) => {
    const found = apiKeys.nodes.find(({ hint }: { hint: string }) => hint.endsWith(secret.slice(-4)));
    return found.auditDays.map(({ changes }: { changes: number }) => changes);
  };
  expect(changesOf(one.secret)).toEqual([1, ...Array(26).fill(0), 2, 0, 0]);
  expect(changesOf(other.secret)).toEqual(Array(30).fill(0));
});
