import { access, readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { callRest } from "../support/rest/rest-client.js";
import {
  processesIn,
  readPostmaster,
  seesProcesses,
  waitForNoProcessIn,
} from "../support/service/data-directory.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const processes = createTestProcesses();
/** Each test starts a service there, which must have the groups that all before it have acknowledged. */
let dataDir: string;
let key: string | undefined;
const acknowledged: string[] = [];
beforeAll(async () => {
  dataDir = await processes.newPreparedDataDir();
});
afterAll(() => processes.close());

async function start(): Promise<RunningService> {
  const service = await processes.serve({ env: { DATA_DIR: dataDir } });
  onTestFinished(async () => {
    service.kill("SIGKILL");
    await service.ended;
  });
  key ??= /ugk_live_\w+/.exec(service.startUpText)?.[0];
  const getOrCreate = async (id: string) => {
    const group = { user_group_id: id, name: id, mapping: {} };
    const { body } = await callRest(`${service.url}/api/user`, "GET", key, group);
    return Object(body).new_user_group;
  };
  expect(new Set(await Promise.all(acknowledged.map(getOrCreate)))).not.toContain(true);
  const created = Array.from({ length: 20 }, (_, index) => `${acknowledged.length + index}`);
  expect(new Set(await Promise.all(created.map(getOrCreate)))).toEqual(new Set([true]));
  acknowledged.push(...created);
  return service;
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test("a signal received twice at once, as npm forwards it, counts as one", async () => {
  const service = await start();
  service.kill("SIGTERM");
  setTimeout(() => service.kill("SIGTERM"), 5);
  expect(await service.ended).toMatchObject({ code: 0, signal: null });
  if (seesProcesses) expect(await processesIn(dataDir)).toEqual([]);
});

test.skipIf(!seesProcesses)("a killed service leaves no process running", async () => {
  const service = await start();
  const { socketDir } = await readPostmaster(dataDir);
  service.kill("SIGKILL");
  expect(await service.ended).toMatchObject({ signal: "SIGKILL" });
  expect(await waitForNoProcessIn(dataDir)).toBe(true);
  expect(await exists(socketDir)).toBe(false);
});

test("a service killed together with PostgreSQL can be started immediately", async () => {
  const service = await start();
  const { pid, socketDir } = await readPostmaster(dataDir);
  process.kill(pid, "SIGKILL");
  service.kill("SIGKILL");
  await service.ended;
  // The new start waits until the old processes have ended.
  const next = await start();
  await expect.poll(() => exists(socketDir)).toBe(false);
  next.kill("SIGTERM");
  expect(await next.ended).toMatchObject({ code: 0 });
});

test.skipIf(!seesProcesses)(
  "a start stops the PostgreSQL that a killed service has left running",
  async () => {
    const service = await start();
    const { pid } = await readPostmaster(dataDir);
    // Its only child, the shell that would stop PostgreSQL.
    const children = await readFile(`/proc/${service.pid}/task/${service.pid}/children`, "utf8");
    for (const child of children.trim().split(" ")) process.kill(Number(child), "SIGKILL");
    service.kill("SIGKILL");
    await service.ended;
    expect(await processesIn(dataDir)).toContain(pid);
    const next = await start();
    next.kill("SIGTERM");
    await next.ended;
    expect(await processesIn(dataDir)).toEqual([]);
  },
);

test("a service whose PostgreSQL has died reports it and exits", async () => {
  const service = await start();
  process.kill((await readPostmaster(dataDir)).pid, "SIGKILL");
  const { code, stderr } = await service.ended;
  expect(code).toBe(1);
  expect(stderr).toContain("The embedded PostgreSQL server stopped unexpectedly (");
  await start();
});

test("npm start execs the service, so that signals reach it", async () => {
  const { scripts } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  expect(scripts).toMatchObject({
    start: expect.stringMatching(/^exec node /),
    cli: expect.stringMatching(/^exec node /),
  });
});

test.skipIf(!seesProcesses)(
  "an interrupted first start leaves no process running, and the next start works",
  async () => {
    const empty = await processes.newDataDir();
    const first = await processes.launch([], { env: { DATA_DIR: empty } });
    await expect.poll(() => processesIn(empty)).not.toEqual([]);
    first.kill("SIGTERM");
    expect((await first.ended).stdout).toBe("");
    expect(await waitForNoProcessIn(empty)).toBe(true);
    const second = await processes.serve({ env: { DATA_DIR: empty } });
    expect(second.startUpText).toContain("ugk_live_");
    expect(await readdir(empty)).toEqual(["postgres", "secrets.json", "service.lock"]);
  },
);
