import { describe, expect, test } from "vitest";
import {
  CALLER_KINDS,
  type CallerKind,
  CREDENTIALS_OF,
  createPrincipal,
} from "../../support/access/caller-kinds.js";
import { createSession, ENCRYPTION_KEY } from "../../support/embed/sessions.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectSocket, subscribe } from "../../support/graphql/web-socket-client.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { startService } from "../../support/service/test-service.js";
import { avoidMidnight } from "../../support/service/utc-day.js";

await avoidMidnight();

const graphql = await startGraphql({ encryptionKey: ENCRYPTION_KEY, console: true });
const { account, call, front, keys, rest, run, service } = graphql;
/** Another process on the same database; keeps audit entries for 30 days. */
const other = await startService({
  encryptionKey: ENCRYPTION_KEY,
  use: service,
  retention: { auditDays: 30 },
});
const { token } = await createUserGroup(graphql, "acme");
const repeated = await createUserGroup(graphql, "repeated");
const ACME = { user_group_id: "acme" };
const principal = await createPrincipal(graphql);
const credentials = new Map<CallerKind, Readonly<Record<string, string>>>();
for (const kind of CALLER_KINDS) credentials.set(kind, await CREDENTIALS_OF[kind](principal));
const WATCH = `subscription { userGroupChanged(by: { providedId: "acme" }) { kind } }`;

type Environment = "Customer" | "Testing";
const tenant = (environment: Environment) => ({ accountId: account.accountId, environment });

/** Reads the usage of today, once all calls that were answered are written. */
async function today(environment: Environment = "Customer") {
  for (const { services } of [service, other]) await services.usage.flush();
  const [day] = await service.services.auditLog.usageDays(tenant(environment), 1);
  if (!day) throw new Error("Today is missing.");
  return day;
}

async function overWebSocket(query: string, key = keys.read): Promise<void> {
  const client = await connectSocket(service.url, `Token ${key}`);
  client.send(subscribe("1", query));
  await client.next();
}

async function overEventStream(): Promise<void> {
  const headers = { authorization: `Token ${keys.read}`, accept: "text/event-stream" };
  const { body } = await fetch(`${service.url}/graphql`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ query: WATCH }),
  });
  await body?.cancel();
}

/** A mutation that is refused in its payload. */
const refused = (userErrors: string) =>
  `mutation { rotateUserGroupToken(input: { by: { providedId: "none" } }) { userGroup { id } ${userErrors} } }`;
const REFUSED = refused("userErrors { code }");

async function inEventStream(query: string, key: string): Promise<void> {
  const reply = await fetch(`${service.url}/graphql`, {
    method: "POST",
    headers: {
      authorization: `Token ${key}`,
      accept: "text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({ query }),
  });
  expect(await reply.text()).toContain("event: next");
}

const CREATE = `mutation { getOrCreateUserGroup(input: { providedId: "acme", name: "A" }) { isNew userErrors { code } } }`;

const VIEWER = "{ viewer { environment } }";
const PARTLY = `{ viewer { environment } userGroup(by: {}) { id } }`;

/** Changes that are sent twice with one Idempotency-Key, with the errors that they count in each API. */
const REPEATED: readonly (readonly [string, api: (key: string) => Promise<RestReply>, errors: number])[] = [
  ["a change over REST", (key) => repeatable("POST", { current_token: repeated.token }, key), 0],
  ["a refused change over REST", (key) => repeatable("POST", { current_token: "ugt_unknown" }, key), 2],
  ["a mutation", (key) => graphql.send({ query: CREATE }, keys.write, { "idempotency-key": key }), 0],
  [
    "a refused mutation",
    (key) => graphql.send({ query: REFUSED }, keys.write, { "idempotency-key": key }),
    2,
  ],
  [
    "a refused mutation whose errors are not selected",
    (key) => graphql.send({ query: refused("") }, keys.write, { "idempotency-key": key }),
    2,
  ],
  [
    "a mutation with errors",
    (key) => graphql.send({ query: "mutation { nothing }" }, keys.write, { "idempotency-key": key }),
    2,
  ],
];
const repeatable = (method: string, body: object, key: string) =>
  rest(method, body, keys.write, { "idempotency-key": key });

/** How many calls and errors are counted if a kind of caller sends an invalid query. */
const CALLERS: Readonly<Record<CallerKind, readonly [calls: number, errors: number]>> = {
  "an API key": [1, 1],
  "a key in the console": [0, 0],
  "a person in the console": [0, 0],
  "a user group token": [1, 1],
  "an embed session": [1, 1],
  "no credentials": [0, 0],
};

test.each<[string, () => Promise<unknown>, calls: number, errors: number, sessions?: number]>([
  ["a REST request", () => rest("GET", ACME), 1, 0],
  ["a request to another process", () => callRest(`${other.url}/api/user`, "GET", keys.embed, ACME), 1, 0],
  ["an unknown group", () => rest("PUT", { user_group_id: "none", name: "N" }), 1, 1],
  ["a change without permission", () => rest("PUT", { ...ACME, name: "N" }, keys.read), 1, 1],
  ["a GraphQL request with errors and data", () => call(PARTLY, {}, keys.read), 1, 1],
  ["a refused mutation", () => call(REFUSED, {}, keys.write), 1, 1],
  ["a refused mutation whose errors are not selected", () => call(refused(""), {}, keys.write), 1, 1],
  [
    "several refused mutations",
    () => call(`mutation { a: ${REFUSED.slice(11, -2)} b: ${REFUSED.slice(11)}`, {}, keys.write),
    1,
    1,
  ],
  ["a refused mutation over a WebSocket", () => overWebSocket(REFUSED, keys.write), 1, 1],
  ["a refused mutation in an event stream", () => inEventStream(REFUSED, keys.write), 1, 1],
  [
    "a mutation of many groups that is refused",
    () =>
      call(
        'mutation { rotateUserGroupTokens(input: { userGroups: [{ providedId: "none" }] }) { userErrors { code } } }',
        {},
        keys.write,
      ),
    1,
    1,
  ],
  ["a mutation that succeeds", () => call(CREATE, {}, keys.write), 1, 0],
  ["an invalid document", () => call("{ nothing }", {}, keys.read), 1, 1],
  ["a body that is not JSON", () => graphql.send("{", keys.read), 1, 1],
  ["a front end's error", () => front(token, "{ apiKeys { totalCount } }"), 1, 1],
  ["an embed session", () => createSession(service, keys.embed, ACME), 1, 0, 1],
  ["an operation over a WebSocket", () => overWebSocket(VIEWER), 1, 0],
  ["an operation with errors over a WebSocket", () => overWebSocket(PARTLY), 1, 1],
  ["an invalid operation over a WebSocket", () => overWebSocket("{ nothing }"), 1, 1],
  ["a subscription over a WebSocket", () => overWebSocket(WATCH), 1, 0],
  ["an event stream", overEventStream, 1, 0],
  ["an unknown API key", () => rest("GET", ACME, "ugk_live_unknown"), 0, 0],
  ...CALLER_KINDS.map((kind): [string, () => Promise<unknown>, number, number] => [
    `an invalid query with ${kind}`,
    async () => {
      const reply = await graphql.send({ query: "{ nothing }" }, null, credentials.get(kind));
      expect(reply.body).toMatchObject({ errors: [{ message: expect.any(String) }] });
    },
    ...CALLERS[kind],
  ]),
  ["the other environment", () => call(VIEWER, {}, keys.testing), 0, 0],
  ["another account", () => call(VIEWER, {}, graphql.strangerKey), 0, 0],
])("%s", async (_, act, calls, errors, sessions = 0) => {
  const before = await today();
  await act();
  // A request that counts: those before it are counted with it.
  await rest("GET", ACME);
  await expect
    .poll(() => today())
    .toEqual({
      ...before,
      calls: before.calls + calls + 1,
      errors: before.errors + errors,
      embedSessions: before.embedSessions + sessions,
    });
});

test.each(REPEATED)("%s, sent twice with one Idempotency-Key", async (name, send, errors) => {
  const before = await today();
  const [first, second] = [await send(name), await send(name)];
  expect(second.status).toBe(first.status);
  await rest("GET", ACME);
  await expect
    .poll(() => today())
    .toEqual({ ...before, calls: before.calls + 3, errors: before.errors + errors });
});

test("counts that could not be written are written later", async () => {
  const before = await today("Testing");
  await call(VIEWER, {}, keys.testing);
  await service.query("ALTER TABLE request_count RENAME TO gone");
  await expect.poll(() => service.services.usage.flush().catch(String)).toContain("request_count");
  await service.query("ALTER TABLE gone RENAME TO request_count");
  await call(VIEWER, {}, keys.testing);
  await expect.poll(() => today("Testing")).toEqual({ ...before, calls: before.calls + 2 });
});

test("the calls of a deleted account are dropped", async () => {
  const accountId = 2 ** 31 - 1;
  service.services.usage.recordCall({ tenant: { accountId, environment: "Customer" } }, false);
  await service.services.usage.flush();
  expect(await service.query("SELECT FROM request_count WHERE account_id = $1", [accountId])).toEqual([]);
});

describe("usageDays", () => {
  const READ = "{ usageDays(days: 4) { date userGroups embedSessions calls errors } }";
  const dateBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

  test("lists former days, with the number of groups at their end", async () => {
    const own = await service.createAccount();
    const { secret } = await own.createKey();
    const create = (user_group_id: string) => rest("GET", { user_group_id, name: "N" }, secret);
    for (const id of ["before", "three days ago", "deleted"]) await create(id);
    const deletion = `mutation { deleteUserGroup(input: { by: { providedId: "deleted" } }) { userErrors { code } } }`;
    await run(deletion, {}, secret);
    await create("today");
    const move = (name: string, days: number) =>
      service.query(
        `UPDATE audit_entry SET created_at = now() - $3 * interval '1 day'
          WHERE account_id = $1 AND subject_name = $2 AND action = 'user_group.created'`,
        [own.accountId, name, days],
      );
    await move("before", 10);
    await move("three days ago", 3);
    await move("deleted", 2);
    await service.query(
      `INSERT INTO embed_session_count SELECT account_id, environment, id, current_date - 3, n, n
        FROM user_group, generate_series(1, 2) AS n WHERE account_id = $1 AND provided_id = 'before'`,
      [own.accountId],
    );
    await service.query(
      `INSERT INTO request_count SELECT $1, environment::environment, current_date - days, calls, 2
        FROM (VALUES ('Customer', 1, 5), ('Customer', 2, 3000000000), ('Customer', 4, 5), ('Testing', 2, 5))
          AS counted (environment, days, calls)`,
      [own.accountId],
    );
    const { secret: reader } = await own.createKey({ scope: "read" });
    const { usageDays } = await run(READ, {}, reader);
    const day = (age: number, userGroups: number, counts: object = {}) => ({
      ...{ date: dateBefore(age), userGroups, embedSessions: 0, calls: 0, errors: 0 },
      ...counts,
    });
    expect(usageDays).toEqual([
      day(3, 2, { embedSessions: 3 }),
      day(2, 3, { calls: 2 ** 31 - 1, errors: 2 }),
      day(1, 3, { calls: 5, errors: 2 }),
      day(0, 3),
    ]);
  });

  test("has no number of groups for days whose audit entries are deleted", async () => {
    const days = await other.services.auditLog.usageDays(tenant("Customer"), 33);
    expect(days.map(({ userGroups }) => userGroups === null)).toEqual([true, true, ...Array(31).fill(false)]);
  });

  test.each([0, 91])("refuses %i days", async (days) => {
    const { body } = await call(`{ usageDays(days: ${days}) { date } }`);
    expect(body).toMatchObject({ errors: [{ extensions: { code: "INVALID_FIELD", field: ["days"] } }] });
  });
});
