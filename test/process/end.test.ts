import { access, readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callRest, type RestReply } from "../support/rest/rest-client.js";
import {
  processesIn,
  readPostmaster,
  seesProcesses,
  waitForNoProcessIn,
} from "../support/service/data-directory.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const processes = createTestProcesses();
/** A DATA_DIR whose service was stopped, and the key that its first start printed. */
let prepared: string;
let key: string;
beforeAll(async () => {
  prepared = await processes.newPreparedDataDir();
  const service = await processes.serve({ env: { DATA_DIR: prepared } });
  key = /ugk_live_\w+/.exec(service.startUpText)?.[0] ?? "";
  service.kill("SIGTERM");
  await service.ended;
});
afterAll(() => processes.close());

test("a stop signal ends the service although clients keep connections open", async () => {
  const { service, dataDir } = await start();
  await callRest(`${service.url}/livez`, "GET", undefined, undefined, { connection: "keep-alive" });
  service.kill("SIGINT");
  expect(await service.ended).toMatchObject({ code: 0, signal: null });
  if (seesProcesses) expect(await processesIn(dataDir)).toEqual([]);
});

test("a signal received twice at once, as npm forwards it, counts as one", async () => {
  const { service, dataDir } = await start();
  service.kill("SIGTERM");
  setTimeout(() => service.kill("SIGTERM"), 5);
  expect(await service.ended).toMatchObject({ code: 0, signal: null });
  if (seesProcesses) expect(await processesIn(dataDir)).toEqual([]);
});

test.skipIf(!seesProcesses)(
  "a killed service leaves no process running and loses no acknowledged write",
  async () => {
    const { service, dataDir } = await start();
    const { socketDir } = await readPostmaster(dataDir);
    const groups = await createGroups(service, "killed");
    service.kill("SIGKILL");
    expect(await service.ended).toMatchObject({ signal: "SIGKILL" });
    expect(await waitForNoProcessIn(dataDir)).toBe(true);
    expect(await exists(socketDir)).toBe(false);
    await expectGroups(dataDir, groups);
  },
);

test("a service killed together with PostgreSQL recovers and loses no acknowledged write", async () => {
  const { service, dataDir } = await start();
  const groups = await createGroups(service, "crashed");
  const { pid, socketDir } = await readPostmaster(dataDir);
  process.kill(pid, "SIGKILL");
  service.kill("SIGKILL");
  await service.ended;
  // Immediately: the new start waits until the old processes have ended.
  await expectGroups(dataDir, groups);
  await expect.poll(() => exists(socketDir)).toBe(false);
});

test.skipIf(!seesProcesses)(
  "a start stops the PostgreSQL that a killed service has left running",
  async () => {
    const { service, dataDir } = await start();
    const groups = await createGroups(service, "left");
    const { pid } = await readPostmaster(dataDir);
    // Its only child, the shell that would stop PostgreSQL.
    const children = await readFile(`/proc/${service.pid}/task/${service.pid}/children`, "utf8");
    for (const child of children.trim().split(" ")) process.kill(Number(child), "SIGKILL");
    service.kill("SIGKILL");
    await service.ended;
    expect(await processesIn(dataDir)).toContain(pid);
    await expectGroups(dataDir, groups);
    expect(await processesIn(dataDir)).toEqual([]);
  },
);

test("a service whose PostgreSQL has died reports it and exits", async () => {
  const { service, dataDir } = await start();
  const groups = await createGroups(service, "orphaned");
  process.kill((await readPostmaster(dataDir)).pid, "SIGKILL");
  const { code, stderr } = await service.ended;
  expect(code).toBe(1);
  expect(stderr).toContain("The embedded PostgreSQL server stopped unexpectedly (");
  await expectGroups(dataDir, groups);
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
    const dataDir = await processes.newDataDir();
    const first = await processes.launch([], { env: { DATA_DIR: dataDir } });
    await expect.poll(() => processesIn(dataDir)).not.toEqual([]);
    first.kill("SIGTERM");
    expect((await first.ended).stdout).toBe("");
    expect(await waitForNoProcessIn(dataDir)).toBe(true);
    const second = await processes.serve({ env: { DATA_DIR: dataDir } });
    expect(second.startUpText).toContain("ugk_live_");
    expect(await readdir(dataDir)).toEqual(["postgres", "secrets.json", "service.lock"]);
  },
);

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function start(): Promise<{ service: RunningService; dataDir: string }> {
  const dataDir = await processes.newDataDir(prepared);
  return { service: await processes.serve({ env: { DATA_DIR: dataDir } }), dataDir };
}

/** Creates user groups, all of them acknowledged. @returns their IDs */
async function createGroups(service: RunningService, name: string): Promise<string[]> {
  const ids = Array.from({ length: 20 }, (_, index) => `${name}-${index}`);
  for (const reply of await getOrCreate(service, ids))
    expect(reply).toMatchObject({ status: 200, body: { new_user_group: true } });
  return ids;
}

async function expectGroups(dataDir: string, ids: readonly string[]): Promise<void> {
  const service = await processes.serve({ env: { DATA_DIR: dataDir } });
  for (const reply of await getOrCreate(service, ids))
    expect(reply).toMatchObject({ status: 200, body: { new_user_group: false } });
  service.kill("SIGTERM");
  expect((await service.ended).code).toBe(0);
}

async function getOrCreate({ url }: RunningService, ids: readonly string[]): Promise<RestReply[]> {
  const call = (id: string) =>
    callRest(`${url}/api/user`, "GET", key, { user_group_id: id, name: id, mapping: {} });
  return Promise.all(ids.map(call));
}
