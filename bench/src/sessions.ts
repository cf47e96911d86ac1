import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { markdownTable } from "./markdown-table.js";
import { medianOf, ratiosOf, showRatios } from "./measure.js";
import { type BenchDatabase, startPostgres, WITHOUT_DISK } from "./postgres.js";
import { cpuMsOf, cpuMsOfChildren } from "./process-usage.js";
import { runCommand, type ServerProcess, startService } from "./server-process.js";
import { inWorkplace } from "./workplace.js";

const ROUNDS = 12;
const REQUESTS = 1500;
const CONNECTIONS = 32;
const GROUPS = 1000;
const ACCOUNT = ["--account", "bench", "--environment", "Customer"];
const HEADS = ["", "per second", "service: CPU µs", "× embed session", "database: CPU µs", "× embed session"];

const CLAIMS = {
  resource: { dashboard: 1 },
  params: { tenant: "{{ userGroup.providedId }}", region: "{{ userGroup.properties.region }}" },
  source: "{{ userGroup.mapping.sales }}",
};
/** What is created, by the path of the request. The first one is the baseline. */
const PATHS: Readonly<Record<string, string>> = {
  "embed session": "/api/embed-session",
  "token with HS256": "/api/embed-session/tool",
  "token with ES256": "/api/embed-session/keys",
};

/** What one request takes. */
interface Cost {
  readonly ms: number;
  readonly serviceUs: number;
  readonly databaseUs: number;
}

/** Compares tokens of session templates to embed sessions, over REST and on one process. */
export async function benchSessions(): Promise<string> {
  return inWorkplace(async (place) => {
    const database = await (await startPostgres(place, WITHOUT_DISK)).create("sessions");
    const settings = {
      DATABASE_URL: database.runtimeUrl,
      DATA_DIR: join(place.directory, "ours"),
      ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    };
    await runCommand(settings, ["account", "create", "bench"]);
    const { output: key } = await runCommand(settings, ["key", "create", ...ACCOUNT, "--scope", "admin"]);
    const variant = {
      name: "ours",
      settings: { ...settings, RATE_LIMIT: "0", PUBLIC_URL: "https://bench.example" },
    };
    const server = await startService(variant, place.directory, database);
    place.onClose(() => server.stop());
    await prepare(server, key);
    return measure(server, key, database);
  });
}

async function measure(server: ServerProcess, key: string, database: BenchDatabase): Promise<string> {
  const costs = new Map<string, Cost[]>(Object.keys(PATHS).map((name) => [name, []]));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, path] of Object.entries(PATHS)) {
      const cost = await costOf(() => create(server, key, path), server, database);
      if (round > 0) costs.get(name)?.push(cost);
    }
  }
  const valuesOf = (name: string, value: keyof Cost) => costs.get(name)?.map((cost) => cost[value]) ?? [];
  const [base = ""] = Object.keys(PATHS);
  const rows = Object.keys(PATHS).map((name) => [
    name,
    Math.round(1000 / medianOf(valuesOf(name, "ms"))).toLocaleString("en"),
    ...(["serviceUs", "databaseUs"] as const).flatMap((value) => [
      Math.round(medianOf(valuesOf(name, value))).toLocaleString("en"),
      showRatios(ratiosOf(valuesOf(name, value), valuesOf(base, value))),
    ]),
  ]);
  return markdownTable(HEADS, rows);
}

async function costOf(
  run: () => Promise<void>,
  { pid }: ServerProcess,
  { pids }: BenchDatabase,
): Promise<Cost> {
  const usage = async () => {
    const ofDatabase = await Promise.all(pids.map(cpuMsOfChildren));
    return { service: await cpuMsOf(pid), database: ofDatabase.reduce((sum, ms) => sum + ms, 0) };
  };
  const [before, start] = [await usage(), performance.now()];
  await run();
  const [ms, after] = [performance.now() - start, await usage()];
  return {
    ms: ms / REQUESTS,
    serviceUs: ((after.service - before.service) * 1000) / REQUESTS,
    databaseUs: ((after.database - before.database) * 1000) / REQUESTS,
  };
}

async function create(server: ServerProcess, key: string, path: string): Promise<void> {
  let sent = 0;
  const connection = async () => {
    while (sent < REQUESTS) {
      sent += 1;
      const { token } = await send(server, key, path, { user_group_id: `group ${sent % GROUPS}` });
      if (typeof token !== "string") throw new Error(`${path} returned no token.`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

async function prepare(server: ServerProcess, key: string): Promise<void> {
  const query = `mutation ($groups: [UpsertUserGroupInput!]!, $tool: CreateSessionTemplateInput!, $keys: CreateSessionTemplateInput!) {
    source: createDataSource(input: { providedId: "eu", name: "EU" }) { userErrors { message } }
    groups: upsertUserGroups(input: { userGroups: $groups }) { userErrors { message } }
    tool: createSessionTemplate(input: $tool) { userErrors { message } }
    keys: createSessionTemplate(input: $keys) { userErrors { message } } }`;
  const groups = Array.from({ length: GROUPS }, (_, index) => ({
    providedId: `group ${index}`,
    name: `Group ${index}`,
    properties: { region: "EU", plan: "gold" },
    mapping: [{ schemaId: "sales", dataSource: "eu" }],
  }));
  const secret = randomBytes(32).toString("base64");
  const tool = { name: "tool", algorithm: "HS256", secret, claims: CLAIMS };
  const keys = { name: "keys", algorithm: "ES256", claims: CLAIMS };
  const reply = await send(server, key, "/graphql", { query, variables: { groups, tool, keys } });
  const payloads: unknown[] = Object.values(Object(reply["data"]));
  if (payloads.length === 0 || payloads.some((payload) => Object(payload).userErrors.length > 0))
    throw new Error(JSON.stringify(reply));
}

async function send(
  { url }: ServerProcess,
  key: string,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const reply = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Token ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return Object(await reply.json());
}
