import type { Actor, Tenant } from "../../src/domain/accounts/caller.js";
import type { EmbeddedConnection } from "../../src/embedded-postgres/connection.js";
import type { Database } from "../../src/persistence/database/database.js";
import { grantRuntimeRole } from "../../src/persistence/database/runtime-role.js";
import { TenantDb } from "../../src/persistence/shared/tenant-db.js";
import { listUserGroups } from "../../src/persistence/user-groups/list-queries.js";
import { findUserGroupsByIds, findUserGroupsByTokens } from "../../src/persistence/user-groups/reads.js";
import { updateUserGroup } from "../../src/persistence/user-groups/writes.js";
import { markdownTable } from "./markdown-table.js";
import { measureInTurn, medianOf, ratiosOf, type Samples, type Subject, showRatios } from "./measure.js";
import { type BenchDatabase, connect, startPostgres, WITHOUT_DISK } from "./postgres.js";
import { inWorkplace } from "./workplace.js";

const SECONDS = 150;
const ACCOUNTS = 1000;
const GROUPS_OF_ACCOUNT = 100;
const CONNECTIONS = 32;
/** Statements in a row per connection, to amortize scheduling. */
const IN_A_ROW = 5;
const HEADS = ["", "ms at 1", "× unprotected", `per second at ${CONNECTIONS}`, "time × unprotected"];

/** A group and its tenant. */
interface Place {
  readonly tenant: Tenant;
  readonly groupId: number;
}

/** A statement that must find the group. */
type Statement = (db: TenantDb, place: Place) => Promise<unknown>;

/** A way to run a statement, with or without a scope. */
interface Access {
  readonly name: string;
  readonly database: Database;
  readonly run: (statement: Statement, place: Place) => Promise<unknown>;
}

interface Case {
  readonly statement: string;
  readonly access: Access;
  readonly latency: Subject;
  readonly throughput: Subject;
}

const STATEMENTS: Readonly<Record<string, Statement>> = {
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

/** Measures the cost of row-level security: the latency of one statement and the throughput of many. */
export async function benchRowLevelSecurity(): Promise<string> {
  return inWorkplace(async (place) => {
    const database = await (await startPostgres(place, WITHOUT_DISK)).create("rls");
    const bypassing = await prepare(database);
    const accesses = await openAccesses(database.runtime, bypassing);
    place.onClose(async () => {
      for (const opened of new Set(accesses.map((access) => access.database))) await opened.close();
    });
    return measure(accesses);
  });
}

async function measure(accesses: readonly Access[]): Promise<string> {
  const cases = Object.entries(STATEMENTS).flatMap(([name, statement]) =>
    accesses.map((access) => createCase(name, statement, access)),
  );
  const subjects = cases.flatMap(({ latency, throughput }) => [latency, throughput]);
  const samples = await measureInTurn(subjects, SECONDS);
  const samplesOf = (subject: Subject): Samples => samples.get(subject) ?? [];
  const rows = cases.map(({ statement, access, latency, throughput }) => {
    const base = cases.find((other) => other.statement === statement && other.access === accesses[0]);
    return [
      `${statement}: ${access.name}`,
      medianOf(samplesOf(latency)).toFixed(3),
      showRatios(ratiosOf(samplesOf(latency), samplesOf(base?.latency ?? latency))),
      Math.round((1000 * CONNECTIONS * IN_A_ROW) / medianOf(samplesOf(throughput))).toLocaleString("en"),
      showRatios(ratiosOf(samplesOf(throughput), samplesOf(base?.throughput ?? throughput))),
    ];
  });
  return markdownTable(HEADS, rows);
}

function createCase(name: string, statement: Statement, access: Access): Case {
  const place = places();
  const once = () => access.run(statement, place());
  const inARow = async () => {
    for (let count = 0; count < IN_A_ROW; count += 1) await once();
  };
  return {
    statement: name,
    access,
    latency: { run: once },
    throughput: { run: () => Promise.all(Array.from({ length: CONNECTIONS }, inARow)) },
  };
}

/** Fills the tables and creates a role that bypasses row-level security. */
async function prepare({ owner, runtime, query }: BenchDatabase): Promise<EmbeddedConnection> {
  const user = "bypassing";
  await query(`CREATE ROLE ${user} LOGIN BYPASSRLS PASSWORD '${owner.password}'`);
  const database = await connect(owner, 1);
  await grantRuntimeRole(database, user);
  await database.close();
  await query(`INSERT INTO account (name, token_key_id)
    SELECT 'account ' || n, 'none' FROM generate_series(1, ${ACCOUNTS}) AS n ORDER BY n`);
  // Ciphertexts have realistic sizes. An account's groups are spread over the table, as after years of use.
  await query(`INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext,
      token_lookup, properties)
    SELECT n % ${ACCOUNTS} + 1, 'Customer', n, 'group ' || n, 'Name ' || n, 'none', decode(repeat('5a', 87), 'hex'),
      decode(lpad(to_hex(n), 64, '0'), 'hex'), '{"region":"EU"}'
    FROM generate_series(1, ${ACCOUNTS * GROUPS_OF_ACCOUNT}) AS n`);
  await query("VACUUM ANALYZE");
  return { ...runtime, user };
}

/** The first one is the baseline. */
async function openAccesses(runtime: EmbeddedConnection, bypassing: EmbeddedConnection): Promise<Access[]> {
  const free = await connect(bypassing, CONNECTIONS);
  const held = await connect(runtime, CONNECTIONS);
  const actor: Actor = { keyId: 1, name: "bench", requestId: "bench" };
  return [
    {
      name: "unprotected",
      database: free,
      run: (statement, place) => statement(new TenantDb(place.tenant, free, free.orm), place),
    },
    {
      name: "scope set, policies bypassed",
      database: free,
      run: (statement, place) => statement(free.for({ ...place.tenant, actor }), place),
    },
    {
      name: "ours",
      database: held,
      run: (statement, place) => statement(held.for({ ...place.tenant, actor }), place),
    },
    {
      name: "BEGIN and COMMIT around it",
      database: held,
      run: (statement, place) =>
        held.for({ ...place.tenant, actor }).transaction((transaction) => statement(transaction, place)),
    },
  ];
}

/** Iterates over all groups in an order in which neighbours are far apart, the same for every way. */
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

function requireOne(found: readonly unknown[]): void {
  if (found.length !== 1 || found[0] === null) throw new Error("The statement did not find its group.");
}
