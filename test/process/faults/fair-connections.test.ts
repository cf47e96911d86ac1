import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import {
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../../support/service/test-service.js";

const SEARCHES = 12;
const SIMPLE_REQUESTS = 50;
/** Longer than the other requests take on a busy machine. */
const PATIENT_MS = 120_000;
const PATIENT = {
  statementTimeoutMs: PATIENT_MS,
  lockTimeoutMs: PATIENT_MS,
  connectTimeoutMs: PATIENT_MS,
  requestTimeoutMs: PATIENT_MS,
};
/** Holds the lock that slow searches wait for. */
const LOCK = 17_650;

const SEARCH_QUERIES = [
  `{ userGroups(filter: { nameContains: "zzqq" }) { nodes { id } } }`,
  `{ userGroups(filter: { properties: { color: "red" } }, orderBy: { field: UPDATED_AT, direction: DESC }) { nodes { id } } }`,
  `{ userGroups(filter: { search: "zzqq" }) { totalCount } }`,
  "{ userGroups { totalCount } }",
];

let service: TestService;
let holder: Client;
afterEach(async () => {
  await holder.end();
  await service.close();
});

/** Starts the service with two accounts: searches of the first are slow until `end`, as they wait for a lock. */
async function start(options: TestServiceOptions) {
  service = await startTestService(options);
  holder = new Client(clientOptions(service.owner));
  await holder.connect();
  const [slow, other] = [await service.createAccount(), await service.createAccount()];
  const clientOf = async (account: typeof slow) => {
    const { secret } = await account.createKey();
    const client = {
      rest: (method: string, body: object, headers = {}) =>
        callRest(`${service.url}/api/user`, method, secret, body, headers),
      graphql: (query: string) => callGraphql(service.url, secret, query),
    };
    expect((await client.rest("GET", { user_group_id: "acme", name: "Acme" })).status).toBe(200);
    return client;
  };
  const clients = { slow: await clientOf(slow), other: await clientOf(other) };
  await service.query(`CREATE FUNCTION wait() RETURNS boolean LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN true; END $$`);
  await service.query(`CREATE POLICY slow ON user_group AS RESTRICTIVE FOR SELECT
    USING (account_id <> ${slow.accountId} OR wait())`);
  await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
  return { ...clients, end: () => holder.query(`SELECT pg_advisory_unlock(${LOCK})`) };
}
type Started = Awaited<ReturnType<typeof start>>;

/** Sends slow searches. @returns their replies so far, and a promise for all of them */
function search({ slow }: Started) {
  const settled: RestReply[] = [];
  const queries = Array.from(
    { length: SEARCHES },
    (_, index) => SEARCH_QUERIES[index % SEARCH_QUERIES.length],
  );
  const all = queries.map(async (query = "") => {
    const reply = await slow.graphql(query);
    settled.push(reply);
    return reply;
  });
  return { settled, all: Promise.all(all) };
}

/** Sends requests of all kinds that read few rows, several at a time. @returns those that failed */
async function sendSimple({ other }: Started): Promise<RestReply[]> {
  const replies: RestReply[] = [];
  for (let number = 0; replies.length < SIMPLE_REQUESTS; number += 1) {
    const id = `new-${number}`;
    const changes = { user_group_id: "acme", name: id, mapping: { a: "sales" } };
    const sent = [
      other.rest("GET", { user_group_id: "acme" }),
      other.rest("GET", { user_group_id: id, name: "New" }),
      other.rest("PUT", changes, { "idempotency-key": id }),
      other.graphql('{ userGroup(by: { providedId: "acme" }) { name mapping { schemaId } } }'),
      other.graphql("{ userGroups(first: 5) { nodes { id } } }"),
    ];
    replies.push(...(await Promise.all(sent)));
  }
  return replies.filter(({ status, body }) => status !== 200 || Object(body).errors !== undefined);
}

async function untilWaiting(count: number): Promise<void> {
  const waiting = `SELECT count(*)::integer AS count FROM pg_locks
    WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;
  await expect.poll(() => service.query(waiting)).toEqual([{ count }]);
}

test.each([
  // One connection is the shared one of lookups.
  { poolSize: 10, shared: 4 },
  { poolSize: 4, shared: 1 },
  { poolSize: 10, pooled: true, shared: 5 },
  { poolSize: 2, shared: 1 },
])(
  "slow searches of one account leave others half of the connections: %o",
  async ({ shared, ...options }) => {
    const started = await start({ ...PATIENT, ...options });
    const { settled, all } = search(started);
    await untilWaiting(shared);
    await expect.poll(() => service.database.poolUsage.waiting).toBe(SEARCHES - shared);
    expect(await sendSimple(started)).toEqual([]);
    // The other requests did not wait for the searches.
    expect(settled).toEqual([]);
    await started.end();
    const replies = (await all).map(({ status, body }) => ({ status, body }));
    for (const reply of replies)
      expect([
        { status: 200, body: { data: { userGroups: { nodes: [] } } } },
        { status: 200, body: { data: { userGroups: { totalCount: 0 } } } },
        { status: 200, body: { data: { userGroups: { totalCount: 1 } } } },
      ]).toContainEqual(reply);
  },
);

test("a search that takes too long fails and says to narrow the filter", async () => {
  const started = await start({ ...PATIENT, statementTimeoutMs: 1000 });
  const replies = await search(started).all;
  for (const { status, body } of replies)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        data: null,
        errors: [
          {
            message: "The search took too long. Narrow the filter, or leave out `totalCount`.",
            extensions: { code: "QUERY_TOO_EXPENSIVE" },
          },
        ],
      },
    });
  expect(await sendSimple(started)).toEqual([]);
});

test("the only connection of a pool is free for others between two searches", async () => {
  const started = await start({ ...PATIENT, poolSize: 1, statementTimeoutMs: 1000 });
  const { settled, all } = search(started);
  await untilWaiting(1);
  expect(await started.other.rest("GET", { user_group_id: "acme" })).toMatchObject({ status: 200 });
  expect(settled.length).toBeLessThan(SEARCHES);
  await all;
});
