import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKeys } from "../support/faults/faulted-service.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { callRest } from "../support/rest/rest-client.js";
import { Inspector } from "../support/service/inspector.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

/** Other versions of Node.js allocate other amounts. */
const MEASURED_VERSION = "20";
const GROUPS = 50;
/** So that functions are compiled, which changes what they allocate. */
const WARM_UP_CALLS = 1_500;
const CALLS = 500;

const processes = createTestProcesses();
let database: TestDatabase;
let service: RunningService;
let inspector: Inspector;
let key: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const encryptionKey = randomBytes(32);
  [key = ""] = await createKeys(database, encryptionKey);
  const env = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: encryptionKey.toString("base64"),
    NODE_OPTIONS: "--inspect=127.0.0.1:0",
  };
  service = await processes.serve({ env });
  inspector = await Inspector.open(service.stderr());
  for (let index = 0; index < GROUPS; index += 1) await get(`group ${index}`);
});
afterAll(async () => {
  inspector.close();
  await processes.close();
  await database.drop();
});

const properties = { region: "EU", plan: "pro", currency: "EUR", seats: 12, isTrial: false };
const get = async (providedId: string) => {
  const group = { user_group_id: providedId, name: providedId, properties };
  const reply = await callRest(`${service.url}/api/user`, "GET", key, group);
  expect(reply.status).toBe(200);
};
const query = async (text: string) => {
  const { body } = await callGraphql(service.url, key, text);
  expect(body).toEqual({ data: expect.anything() });
};

/** Bytes that a call allocated in the heap when this was last measured. A change by more than a tenth is one to explain. */
test.runIf(process.versions.node.startsWith(`${MEASURED_VERSION}.`)).each([
  ["GET of an existing group", 60_000, () => get("group 0")],
  ["userGroup(by:)", 65_000, () => query('{ userGroup(by: { providedId: "group 0" }) { name properties } }')],
  ["a page of 50 groups", 284_000, () => query("{ userGroups(first: 50) { nodes { id name properties } } }")],
])("%s allocates about %i bytes", async (_, expected, call) => {
  for (let count = 0; count < WARM_UP_CALLS; count += 1) await call();
  const bytes = await inspector.countAllocatedBytes(async () => {
    for (let count = 0; count < CALLS; count += 1) await call();
  });
  const ratio = bytes / CALLS / expected;
  expect(ratio, `${Math.round(bytes / CALLS)} bytes`).toBeGreaterThan(0.9);
  expect(ratio, `${Math.round(bytes / CALLS)} bytes`).toBeLessThan(1.1);
});
