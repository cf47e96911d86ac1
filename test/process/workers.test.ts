import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectSocket, subscribe } from "../support/graphql/web-socket-client.js";
import { callRest } from "../support/rest/rest-client.js";
import { METRICS_TOKEN, scrape, sumOf } from "../support/service/metric-samples.js";
import {
  createTestProcesses,
  type RunningService,
  type TestProcesses,
} from "../support/service/running-process.js";

const WORKERS = 2;
const LIMIT = 200;

let processes: TestProcesses;
let service: RunningService;
let key: string;
beforeAll(async () => {
  processes = createTestProcesses();
  const env = { DATA_DIR: await processes.newPreparedDataDir(), WORKERS: String(WORKERS), METRICS_TOKEN };
  service = await processes.serve({ env: { ...env, RATE_LIMIT: String(LIMIT) } });
  key = /Customer {2}(\S+)/.exec(service.startUpText)?.[1] ?? "";
});
afterAll(() => processes.close());

/** Opens a connection of its own, so that the workers take turns. */
const get = (id: string, secret = key) =>
  callRest(
    `${service.url}/api/user`,
    "GET",
    secret,
    { user_group_id: id, name: "Acme" },
    { connection: "close" },
  );

/** The start time of each worker process. */
const startTimes = async () =>
  (await scrape(service.url))
    .filter(({ name }) => name === "process_start_time_seconds")
    .map(({ labels, value }) => `${labels["worker"]}: ${value}`)
    .sort();

async function workerPids(): Promise<number[]> {
  const children = await readFile(`/proc/${service.pid}/task/${service.pid}/children`, "utf8");
  const pids = children.trim().split(" ").map(Number);
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8")));
  return pids.filter((_, index) => commands[index]?.includes("main.js"));
}

test("all workers serve one port, and one request reads the metrics of all of them", async () => {
  for (let count = 0; count < 10; count += 1) expect((await get("acme")).status).toBe(200);
  const samples = await scrape(service.url);
  const requests = (worker: number) =>
    sumOf(samples, "http_request_duration_seconds_count", { worker: String(worker), route: "/api/user" });
  expect([requests(1), requests(2)]).toEqual([5, 5]);
  expect(samples.every(({ labels }) => ["1", "2"].includes(labels["worker"] ?? ""))).toBe(true);
  expect(service.startUpText.match(/is listening on/g)).toHaveLength(1);
});

test("a WebSocket of one worker receives the changes of the other", async () => {
  await get("watched");
  const query = `subscription { userGroupChanged(by: { providedId: "watched" }) { userGroup { name } } }`;
  const sockets = await Promise.all([1, 2].map(() => connectSocket(service.url, `Token ${key}`)));
  const nextNames = () =>
    Promise.all(
      sockets.map(async (socket) => {
        return Object(await socket.next()).payload.data.userGroupChanged.userGroup.name;
      }),
    );
  for (const socket of sockets) socket.send(subscribe("1", query));
  await nextNames();
  const body = { user_group_id: "watched", name: "Changed" };
  expect(await callRest(`${service.url}/api/user`, "PUT", key, body)).toMatchObject({ status: 200 });
  expect(await nextNames()).toEqual(["Changed", "Changed"]);
});

test("a rate limit holds exactly for all workers together", async () => {
  const testingKey = /Testing {3}(\S+)/.exec(service.startUpText)?.[1] ?? "";
  const replies = await Promise.all(Array.from({ length: LIMIT + 20 }, () => get("limited", testingKey)));
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  expect([count(200), count(429)]).toEqual([LIMIT, 20]);
});

test("SIGHUP replaces the workers one by one, without a failed request", async () => {
  const before = await startTimes();
  service.kill("SIGHUP");
  let isRestarted = false;
  const statuses = new Set<number>();
  while (!isRestarted) {
    statuses.add((await get("acme")).status);
    await sleep(20);
    isRestarted = service.stderr().includes("workers restarted");
  }
  // After the limit, 429 is an answer as well.
  expect([...statuses].filter((status) => ![200, 429].includes(status))).toEqual([]);
  const after = await startTimes();
  expect(after).toHaveLength(WORKERS);
  expect(after.filter((time) => before.includes(time))).toEqual([]);
});

test("a worker that was killed is replaced, while the others serve", async () => {
  const before = await startTimes();
  const [pid = 0] = await workerPids();
  process.kill(pid, "SIGKILL");
  await expect.poll(() => service.stderr()).toContain("worker ended unexpectedly");
  expect([200, 429]).toContain((await get("acme")).status);
  await expect.poll(async () => (await startTimes()).length).toBe(WORKERS);
  expect((await startTimes()).filter((time) => before.includes(time))).toHaveLength(WORKERS - 1);
});

test("a scrape gets 503 while a worker does not answer", async () => {
  const [pid = 0] = await workerPids();
  process.kill(pid, "SIGSTOP");
  // Open connections may belong to this worker. Beyond them, the workers take turns, so that some scrapes reach the other.
  const scrapes = Array.from({ length: 20 }, () => scrape(service.url));
  const first = Promise.race(scrapes);
  await expect(first).rejects.toThrow(/^The metrics were refused: 503 .*A worker process did not return/);
  process.kill(pid, "SIGCONT");
  await Promise.allSettled(scrapes);
  expect(await startTimes()).toHaveLength(WORKERS);
});

test("SIGTERM ends all workers, then the embedded PostgreSQL", async () => {
  const workers = await workerPids();
  const logged = service.stderr().length;
  service.kill("SIGTERM");
  expect(await service.ended).toMatchObject({ code: 0, signal: null });
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  expect(service.stderr().slice(logged)).not.toContain('"level":50');
});
