import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describeMachine } from "../conditions.js";
import { markdownTable } from "../markdown-table.js";
import { medianOf } from "../measure.js";
import { readNumbers, readOptions } from "../options.js";
import { type BenchDatabase, startPostgres, WITHOUT_DISK } from "../postgres.js";
import { cpuMsOf, cpuMsOfChildren, memoryMbOf } from "../process-usage.js";
import { runCommand, type ServerProcess, startServer, startService } from "../server-process.js";
import { inWorkplace, type Workplace } from "../workplace.js";
import { type PageCredentials, Pages } from "./pages.js";

const USAGE = `npm run bench -- streams [options]
  --quick      1,000 pages
  --pages N,…  numbers of open pages; 1000,10000,20000 by default, for which each process needs 20,300 open files`;
const PAGES = [1000, 10_000, 20_000];
const QUICK_PAGES = [1000];

/** Files that the service opens besides its connections. */
const OTHER_FILES = 300;
/** Pages of a group, where there are many. */
const PAGES_PER_GROUP = 10;
const CHANGES = 20;
const WARM_UP_CHANGES = 5;
/** Changed with one upsert. */
const UPSERT = 1000;
const CONNECTIONS = 32;
const SETTLE_MS = 1_000;
const HOT = "hot";
/** Memory is compared without garbage: the process collects it on this signal. */
const GC_ON_SIGNAL = [
  "--expose-gc",
  "--import",
  `data:text/javascript,process.on("SIGUSR2",()=>{gc();gc()})`,
] as const;

/** A service with an API key, which may change all groups. */
interface Stage {
  readonly server: ServerProcess;
  readonly key: string;
  readonly database: BenchDatabase | undefined;
}

interface ChangeCost {
  readonly ms: number;
  readonly serviceMs: number;
  readonly databaseMs: number;
}

/** Measures open pages of one group and of many: their memory, the cost of a change, and how they come back after an interruption. */
export async function benchStreams(args: readonly string[]): Promise<string> {
  const numbers = readOptions(args, { names: ["pages"], flags: ["quick"], usage: USAGE }, (options) =>
    readNumbers(options, "pages", options.has("quick") ? QUICK_PAGES : PAGES),
  ).toSorted((one, other) => one - other);
  await requireOpenFiles(Math.max(...numbers) + OTHER_FILES);
  return inWorkplace(async (place) => {
    const loadBefore = loadavg();
    const database = await (await startPostgres(place, WITHOUT_DISK)).create("streams");
    const service = await startOurs(place, database, Math.max(...numbers));
    const plain = await startServer({
      name: "plain-node",
      directory: place.directory,
      args: [...GC_ON_SIGNAL, fileURLToPath(new URL("../peers/stream-server.js", import.meta.url))],
    });
    place.onClose(() => plain.stop());
    const floor = { server: plain, key: "", database: undefined };
    const sections: string[] = [];
    for (const measure of [
      () => measureOneGroup({ ours: service.stage, "plain node": floor }, numbers),
      () => measureManyGroups(service.stage, numbers),
      () => measureInterruptions(service, numbers),
    ]) {
      const section = await measure();
      process.stderr.write(`${section}\n\n`);
      sections.push(section);
    }
    return [await describeMachine(database, loadBefore), ...sections].join("\n\n");
  });
}

/** @throws Error if a process may not open so many files */
async function requireOpenFiles(needed: number): Promise<void> {
  const [, hard = "unlimited"] =
    /^Max open files +\d+ +(\d+)/m.exec(await readFile("/proc/self/limits", "utf8")) ?? [];
  if (Number(hard) < needed)
    throw new Error(
      `${needed} open files are needed per process, ${hard} are allowed: raise it with \`ulimit -Hn ${needed}\` as root, or open fewer with --pages.`,
    );
}

interface Service {
  readonly stage: Stage;
  restart(): Promise<void>;
}

/** Starts the service with limits above the number of pages, which all belong to one group and come through one proxy. */
async function startOurs(place: Workplace, database: BenchDatabase, pages: number): Promise<Service> {
  const settings = {
    DATABASE_URL: database.runtimeUrl,
    DATA_DIR: join(place.directory, "ours"),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    TRUSTED_PROXIES: "127.0.0.1",
    MAX_CONNECTIONS: String(2 * pages),
    EVENT_STREAMS_PER_PROCESS: String(10 * pages),
    SHUTDOWN_DELAY_MS: "0",
  };
  await runCommand(settings, ["account", "create", "bench"]);
  const { output: key } = await runCommand(settings, [
    ...["key", "create", "--account", "bench", "--environment", "Customer", "--scope", "admin"],
  ]);
  const start = (more: Readonly<Record<string, string>>) =>
    startService(
      { name: "ours", settings: { ...settings, ...more }, nodeOptions: GC_ON_SIGNAL },
      place.directory,
      database,
    );
  let server = await start({});
  place.onClose(() => server.stop());
  const { port } = new URL(server.url);
  const service = {
    stage: { server, key, database },
    async restart() {
      await server.stop();
      server = await start({ PORT: port });
      service.stage = { server, key, database };
    },
  };
  await upsert(service.stage, [HOT], "first");
  return service;
}

/** Pages of one group: memory, and the cost of a change by the number of pages that it reaches. */
async function measureOneGroup(
  stages: Readonly<Record<string, Stage>>,
  numbers: readonly number[],
): Promise<string> {
  const memory = new Map(numbers.map((number) => [number, [number.toLocaleString("en")]]));
  const changes: string[][] = [];
  for (const [name, stage] of Object.entries(stages)) {
    await warmUp(stage);
    const before = await memoryKbOf(stage);
    const pages = new Pages(stage.server.url);
    let open = 0;
    let first: ChangeCost | undefined;
    for (const number of [10, ...numbers]) {
      const added = await credentialsOf(
        stage,
        Array.from({ length: number - open }, () => HOT),
      );
      const opening = await usageOf(stage, () => pages.open(added));
      const openingUs = (opening.serviceMs * 1000) / added.length;
      open = number;
      await costOf(stage, pages, WARM_UP_CHANGES);
      const kb = ((await memoryKbOf(stage)) - before) / number;
      memory.get(number)?.push(kb.toFixed(1), openingUs.toFixed(0));
      const cost = await costOf(stage, pages, CHANGES);
      first ??= cost;
      const { ms, serviceMs, databaseMs } = cost;
      changes.push([
        name,
        ...[number.toLocaleString("en"), ms.toFixed(1), serviceMs.toFixed(2), databaseMs.toFixed(2)],
        (((serviceMs - first.serviceMs) * 1000) / Math.max(1, number - 10)).toFixed(1),
        (serviceMs / first.serviceMs).toFixed(1),
      ]);
    }
    pages.close();
    await sleep(SETTLE_MS);
  }
  const heads = Object.keys(stages).flatMap((name) => [`${name}: KB a page`, "CPU µs to open one"]);
  const columns = ["pages it reaches", "ms until all are current", "service: CPU ms", "database: CPU ms"];
  return [
    markdownTable(["pages of one group", ...heads], [...memory.values()]),
    markdownTable(["a change", ...columns, "CPU µs per further page", "service × 10 pages"], changes),
  ].join("\n\n");
}

/** Pages of many groups, all of which change: memory, and the cost of an event. */
async function measureManyGroups(stage: Stage, numbers: readonly number[]): Promise<string> {
  const rows: string[][] = [];
  for (const number of numbers) {
    const groups = Array.from({ length: number / PAGES_PER_GROUP }, (_, index) => `group ${index}`);
    await upsertAll(stage, groups, "first");
    await warmUp(stage);
    const before = await memoryKbOf(stage);
    const pages = new Pages(stage.server.url);
    const followed = Array.from({ length: number }, (_, index) => groups[index % groups.length] ?? HOT);
    await pages.open(await credentialsOf(stage, followed));
    const costs: ChangeCost[] = [];
    for (const round of [0, 1, 2, 3]) {
      const name = `round ${round}`;
      const changed = new Set(groups);
      const run = () => pages.change(changed, name, () => upsertAll(stage, groups, name));
      const cost = await usageOf(stage, run);
      if (round > 0) costs.push(cost);
    }
    const usPerPage = (value: keyof ChangeCost) =>
      ((medianOf(costs.map((cost) => cost[value])) * 1000) / number).toFixed(0);
    rows.push([
      ...[number.toLocaleString("en"), groups.length.toLocaleString("en")],
      (((await memoryKbOf(stage)) - before) / number).toFixed(1),
      medianOf(costs.map(({ ms }) => ms)).toFixed(0),
      ...[usPerPage("serviceMs"), usPerPage("databaseMs")],
    ]);
    pages.close();
    await sleep(SETTLE_MS);
  }
  const heads = ["KB a page", "all groups change: ms until all are current", "service: CPU µs per page"];
  return markdownTable(["pages", "groups", ...heads, "database: CPU µs per page"], rows);
}

/** Restarts the service, and cuts all connections, as the restart of a proxy does. */
async function measureInterruptions(service: Service, numbers: readonly number[]): Promise<string> {
  const rows: string[][] = [];
  for (const number of numbers) {
    const groups = Array.from({ length: number / PAGES_PER_GROUP }, (_, index) => `group ${index}`);
    const followed = Array.from({ length: number }, (_, index) => groups[index % groups.length] ?? HOT);
    const pages = new Pages(service.stage.server.url);
    await pages.open(await credentialsOf(service.stage, followed));
    const interruptions = {
      "restart of the service": () => service.restart(),
      "restart of the proxy": async () => pages.cut(),
    };
    for (const [name, interrupt] of Object.entries(interruptions)) {
      const start = performance.now();
      let downMs = 0;
      const ms = await pages.reconnect(async () => {
        await interrupt();
        downMs = performance.now() - start;
        return performance.now();
      });
      const refused = [...pages.refusals].filter(([reason]) => reason !== "connection");
      rows.push([
        ...[name, number.toLocaleString("en"), (downMs / 1000).toFixed(1), (ms / 1000).toFixed(1)],
        refused.reduce((sum, [, count]) => sum + count, 0).toLocaleString("en"),
        refused.map(([status, count]) => `${status}: ${count.toLocaleString("en")}`).join(", "),
      ]);
    }
    pages.close();
    await sleep(SETTLE_MS);
  }
  return markdownTable(
    ["interruption", "pages", "s down", "then s until all are current", "refusals", "by status"],
    rows,
  );
}

/** Takes the first memory that a process keeps, and compiles the code. */
async function warmUp(stage: Stage): Promise<void> {
  const pages = new Pages(stage.server.url);
  await pages.open(
    await credentialsOf(
      stage,
      Array.from({ length: 200 }, () => HOT),
    ),
  );
  await costOf(stage, pages, WARM_UP_CHANGES);
  pages.close();
  await sleep(SETTLE_MS);
}

/** Changes the group of all pages, one change after the other. @returns the costs of one */
async function costOf(stage: Stage, pages: Pages, changes: number): Promise<ChangeCost> {
  const times: number[] = [];
  const { serviceMs, databaseMs } = await usageOf(stage, async () => {
    for (let count = 0; count < changes; count += 1) {
      const name = randomBytes(6).toString("hex");
      times.push(await pages.change(new Set([HOT]), name, () => rename(stage, name)));
    }
    return 0;
  });
  return { ms: medianOf(times), serviceMs: serviceMs / changes, databaseMs: databaseMs / changes };
}

async function usageOf({ server, database }: Stage, run: () => Promise<number>): Promise<ChangeCost> {
  const usage = async () => {
    const ofDatabase = await Promise.all((database?.pids ?? []).map(cpuMsOfChildren));
    return { service: await cpuMsOf(server.pid), database: ofDatabase.reduce((sum, ms) => sum + ms, 0) };
  };
  const before = await usage();
  const ms = await run();
  const after = await usage();
  return { ms, serviceMs: after.service - before.service, databaseMs: after.database - before.database };
}

/** The resident memory without garbage, in 1,000 bytes. */
async function memoryKbOf({ server: { pid } }: Stage): Promise<number> {
  process.kill(pid, "SIGUSR2");
  await sleep(SETTLE_MS);
  return (await memoryMbOf(pid)) * 1000;
}

/**
 * Creates an embed session for every tenth page, and reuses it for the others of its group.
 * @param groups the groups of the pages, which recur after a tenth of them
 */
async function credentialsOf(stage: Stage, groups: readonly string[]): Promise<readonly PageCredentials[]> {
  const tokens = new Map<number, unknown>();
  const left = [...groups.slice(0, Math.ceil(groups.length / PAGES_PER_GROUP)).entries()];
  const sessions = left.length;
  const connection = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [index, group] = next;
      const body = { user_group_id: group, expires_in: 86_400 };
      tokens.set(index, (await send(stage, "POST", "/api/embed-session", body))["token"]);
    }
  };
  if (stage.database) await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return groups.map((group, index) => ({ group, authorization: `Bearer ${tokens.get(index % sessions)}` }));
}

async function rename(stage: Stage, name: string): Promise<void> {
  await send(stage, "PUT", "/api/user", { user_group_id: HOT, name });
}

async function upsertAll(stage: Stage, groups: readonly string[], name: string): Promise<void> {
  for (let start = 0; start < groups.length; start += UPSERT)
    await upsert(stage, groups.slice(start, start + UPSERT), name);
}

async function upsert(stage: Stage, groups: readonly string[], name: string): Promise<void> {
  const query = `mutation ($groups: [UpsertUserGroupInput!]!) {
    source: createDataSource(input: { providedId: "eu", name: "EU" }) { userErrors { message } }
    groups: upsertUserGroups(input: { userGroups: $groups }) { userErrors { message } } }`;
  const input = groups.map((providedId) => ({
    providedId,
    name,
    properties: { region: "EU", plan: "gold" },
    mapping: [{ schemaId: "sales", dataSource: "eu" }],
  }));
  const reply = await send(stage, "POST", "/graphql", { query, variables: { groups: input } });
  // The data source exists from the second time on.
  if (Object(reply["data"]).groups?.userErrors.length !== 0) throw new Error(JSON.stringify(reply));
}

async function send(
  { server, key }: Stage,
  method: string,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const reply = await fetch(server.url + path, {
    method,
    headers: { authorization: `Token ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${path} returned ${reply.status}: ${await reply.text()}`);
  return Object(await reply.json());
}
