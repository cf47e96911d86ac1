import { type Actor } from "../../src/domain/accounts/actor.js";
import type { Tenant } from "../../src/domain/accounts/caller.js";
import type { EmbeddedConnection } from "../../src/embedded-postgres/connection.js";
import type { Database } from "../../src/persistence/database/database.js";
import { grantRuntimeRole } from "../../src/persistence/database/runtime-role.js";
import { TenantDb } from "../../src/persistence/shared/tenant-db.js";
import { listUserGroups } from "../../src/persistence/user-groups/list-queries.js";
import { findUserGroupsByIds, findUserGroupsByTokens } from "../../src/persistence/user-groups/reads.js";
import { updateUserGroup } from "../../src/persistence/user-groups/writes.js";
import { markdownTable } from "./markdown-table.js";
import { measureInTurn, medianOf, medianRatio, type Samples, type Subject } from "./measure.js";
import { type BenchDatabase, connect, startPostgres, WITHOUT_DISK } from "./postgres.js";
import { startWireCounter, type Traffic } from "./wire-counter.js";
import { inWorkplace } from "./workplace.js";

const SECONDS = 150;
const ACCOUNTS = 1000;
const GROUPS_OF_ACCOUNT = 100;
const CONNECTIONS = 32;
/** How many statements each connection runs in a row, so that starting them costs nothing. */
const IN_A_ROW = 5;
const COUNTED = 50;
const HEADS = [
  "",
  "round trips",
  "bytes sent",
  "received",
  "ms at 1",
  "× unprotected",
  `per second at ${CONNECTIONS}`,
  "time × unprotected",
];

/** A group somewhere in the table. */
interface Place {
  readonly tenant: Tenant;
  readonly groupId: number;
}

/** What is done with a group; it must find it. */
type Work = (db: TenantDb, place: Place) => Promise<unknown>;

/** How a statement gets to see its rows. */
interface Way {
  readonly name: string;
  readonly database: Database;
  readonly run: (work: Work, place: Place) => Promise<unknown>;
}

interface Course {
  readonly work: string;
  readonly way: Way;
  readonly latency: Subject;
  readonly throughput: Subject;
}

const WORKS: Readonly<Record<string, Work>> = {
  "one group by id": async (db, { groupId }) => requireOne(await findUserGroupsByIds(db, [groupId])),
  "one group by token": async (db, { groupId }) =>
    requireOne(await findUserGroupsByTokens(db, [lookupOf(groupId)])),
  "list of 50": async (db) => {
    const order = { field: "name", direction: "ascending" } as const;
    const page = { size: 50, from: "start", after: null, before: null } as const;
    const { items } = await listUserGroups(db, {}, order, page);
    if (items.length !== 50) throw new Error(`The list has ${items.length} groups.`);
  },
  update: async (db, { groupId }) =>
    requireOne([
      await updateUserGroup(db, { by: "id", id: groupId }, { name: `Renamed ${process.hrtime.bigint()}` }),
    ]),
};

/** Shows what row level security costs: what goes over the wire, the time of one statement, and of many at once. */
export async function benchRowLevelSecurity(): Promise<string> {
  return inWorkplace(async (place) => {
    const database = await (await startPostgres(place, WITHOUT_DISK)).create("rls");
    const bypassing = await prepare(database);
    const traffic = await countTraffic(database, bypassing);
    const ways = await openWays(database.runtime, bypassing, CONNECTIONS);
    place.onClose(() => closeWays(ways));
    return measure(ways, traffic);
  });
}

async function measure(ways: readonly Way[], traffic: ReadonlyMap<string, Traffic>): Promise<string> {
  const courses = Object.keys(WORKS).flatMap((work) => ways.map((way) => courseOf(work, way)));
  const subjects = courses.flatMap(({ latency, throughput }) => [latency, throughput]);
  const samples = await measureInTurn(subjects, SECONDS);
  const samplesOf = (subject: Subject): Samples => samples.get(subject) ?? [];
  const rows = courses.map(({ work, way, latency, throughput }) => {
    const base = courses.find((other) => other.work === work && other.way === ways[0]);
    const passed = traffic.get(nameOf(work, way));
    return [
      nameOf(work, way),
      perStatement(passed?.roundTrips),
      perStatement(passed?.bytesSent),
      perStatement(passed?.bytesReceived),
      medianOf(samplesOf(latency)).toFixed(3),
      medianRatio(samplesOf(latency), samplesOf(base?.latency ?? latency)).toFixed(2),
      Math.round((1000 * CONNECTIONS * IN_A_ROW) / medianOf(samplesOf(throughput))).toLocaleString("en"),
      medianRatio(samplesOf(throughput), samplesOf(base?.throughput ?? throughput)).toFixed(2),
    ];
  });
  return markdownTable(HEADS, rows);
}

function courseOf(work: string, way: Way): Course {
  const place = places();
  const once = () => way.run(WORKS[work] ?? missing, place());
  const inARow = async () => {
    for (let count = 0; count < IN_A_ROW; count += 1) await once();
  };
  return {
    work,
    way,
    latency: { run: once },
    throughput: { run: () => Promise.all(Array.from({ length: CONNECTIONS }, inARow)) },
  };
}

/** Fills the tables, and creates a role for which row level security does not hold. */
async function prepare({ owner, runtime, query }: BenchDatabase): Promise<EmbeddedConnection> {
  const user = "bypassing";
  await query(`CREATE ROLE ${user} LOGIN BYPASSRLS PASSWORD '${owner.password}'`);
  const database = await connect(owner, 1);
  await grantRuntimeRole(database, user);
  await database.close();
  await query(`INSERT INTO account (name, token_key_id)
    SELECT 'account ' || n, 'none' FROM generate_series(1, ${ACCOUNTS}) AS n ORDER BY n`);
  // Tokens are as long as real ones. The groups of an account lie apart, as they come to be over the years.
  await query(`INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext,
      token_lookup, properties)
    SELECT n % ${ACCOUNTS} + 1, 'Customer', n, 'group ' || n, 'Name ' || n, 'none', decode(repeat('5a', 87), 'hex'),
      decode(lpad(to_hex(n), 64, '0'), 'hex'), '{"region":"EU"}'
    FROM generate_series(1, ${ACCOUNTS * GROUPS_OF_ACCOUNT}) AS n`);
  await query("VACUUM ANALYZE");
  return { ...runtime, user };
}

/** Counts, over one connection that has prepared its statements, what each statement sends and receives. */
async function countTraffic(
  { runtime }: BenchDatabase,
  bypassing: EmbeddedConnection,
): Promise<Map<string, Traffic>> {
  const counter = await startWireCounter(runtime);
  const ways = await openWays(counter.target, { ...counter.target, user: bypassing.user }, 1);
  const counted = new Map<string, Traffic>();
  try {
    for (const [name, work] of Object.entries(WORKS)) {
      for (const way of ways) {
        const place = places();
        await way.run(work, place());
        counter.reset();
        for (let count = 0; count < COUNTED; count += 1) await way.run(work, place());
        counted.set(nameOf(name, way), { ...counter.traffic });
      }
    }
  } finally {
    await closeWays(ways);
    counter.close();
  }
  return counted;
}

/** The first is the one that the others are compared with. */
async function openWays(
  runtime: EmbeddedConnection,
  bypassing: EmbeddedConnection,
  poolSize: number,
): Promise<Way[]> {
  const free = await connect(bypassing, poolSize);
  const held = await connect(runtime, poolSize);
  const actor: Actor = { keyId: 1, name: "bench", requestId: "bench" };
  return [
    {
      name: "unprotected",
      database: free,
      run: (work, place) => work(new TenantDb(place.tenant, free, free.orm), place),
    },
    {
      name: "scope set, policies bypassed",
      database: free,
      run: (work, place) => work(free.for({ ...place.tenant, actor }), place),
    },
    {
      name: "ours",
      database: held,
      run: (work, place) => work(held.for({ ...place.tenant, actor }), place),
    },
    {
      name: "BEGIN and COMMIT around it",
      database: held,
      run: (work, place) =>
        held.for({ ...place.tenant, actor }).transaction((transaction) => work(transaction, place)),
    },
  ];
}

async function closeWays(ways: readonly Way[]): Promise<void> {
  for (const database of new Set(ways.map((way) => way.database))) await database.close();
}

/** Goes through all groups in an order in which neighbours are far apart: the same for every way. */
function places(): () => Place {
  const groups = ACCOUNTS * GROUPS_OF_ACCOUNT;
  let next = 0;
  return () => {
    next = (next + 61_803) % groups;
    const groupId = next + 1;
    return { tenant: { accountId: (groupId % ACCOUNTS) + 1, environment: "Customer" }, groupId };
  };
}

function lookupOf(groupId: number): Buffer {
  return Buffer.from(groupId.toString(16).padStart(64, "0"), "hex");
}

function nameOf(work: string, way: Way): string {
  return `${work}: ${way.name}`;
}

function perStatement(count = Number.NaN): string {
  return String(Math.round((10 * count) / COUNTED) / 10);
}

function requireOne(found: readonly unknown[]): void {
  if (found.length !== 1 || found[0] === null) throw new Error("The statement did not find its group.");
}

function missing(): never {
  throw new Error("Unknown statement.");
}
