import { execFile } from "node:child_process";
import { chown, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callRest } from "../support/rest/rest-client.js";
import { compileService } from "../support/service/compiled-service.js";
import { processesIn, seesProcesses } from "../support/service/data-directory.js";
import {
  createTestProcesses,
  failureOf,
  type ProcessEnd,
  type RunningService,
  waitForStart,
} from "../support/service/running-process.js";

const processes = createTestProcesses();
let dataDir: string;
let loser: ProcessEnd;
let winner: RunningService;
beforeAll(async () => {
  dataDir = await processes.newDataDir();
  const start = () => processes.launch([], { env: { DATA_DIR: dataDir } });
  const [first, second] = await Promise.all([start(), start()]);
  const firstEnded = await Promise.race([first.ended.then(() => true), second.ended.then(() => false)]);
  loser = await (firstEnded ? first : second).ended;
  winner = await waitForStart(firstEnded ? second : first);
});
afterAll(() => processes.close());

test("of two simultaneous first starts on one DATA_DIR, one works and the other reports in one line that it is in use", async () => {
  expect(failureOf(loser)).toMatch(new RegExp(`^DATA_DIR ${dataDir} is in use by another running service`));
  expect(winner.startUpText).toContain("ugk_live_");
  expect(await callRest(`${winner.url}/readyz`, "GET", undefined)).toMatchObject({ status: 200 });
});

test("a second start on a running service's DATA_DIR fails without disturbing it", async () => {
  const env = { DATA_DIR: `${dataDir}/../data/` };
  expect(failureOf(await processes.run([], { env }))).toContain(`DATA_DIR ${dataDir} is in use`);
  expect(await callRest(`${winner.url}/readyz`, "GET", undefined)).toMatchObject({ status: 200 });
});

test("a DATA_DIR without its secrets is reported and left unchanged", async () => {
  winner.kill("SIGTERM");
  await winner.ended;
  const copy = await processes.newDataDir(dataDir);
  await rm(join(copy, "secrets.json"));
  expect(failureOf(await processes.run([], { env: { DATA_DIR: copy } }))).toMatch(
    /rejects the password stored in DATA_DIR/,
  );
  if (seesProcesses) expect(await processesIn(copy)).toEqual([]);
  await writeFile(join(copy, "secrets.json"), "{}");
  expect(failureOf(await processes.run([], { env: { DATA_DIR: copy } }))).toMatch(
    /secrets\.json is damaged\. Restore it from a backup/,
  );
});

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)(
  "a service run as another user owns its files, and rejects directories that it cannot write to",
  async (context) => {
    const account = await nobodyAccount();
    if (!(await canRead(account, await compileService()))) context.skip("nobody may not read this checkout");
    const dataDir = await processes.newDataDir();
    await chown(dirname(dataDir), account.uid, account.gid);
    const service = await processes.serve({ env: { DATA_DIR: dataDir }, account });
    expect(service.startUpText).toContain("ugk_live_");
    expect(await callRest(`${service.url}/readyz`, "GET", undefined)).toMatchObject({ status: 200 });
    for (const path of ["", "secrets.json", "postgres"])
      expect((await stat(join(dataDir, path))).uid).toBe(account.uid);
    service.kill("SIGTERM");
    expect(await service.ended).toMatchObject({ code: 0 });
    if (seesProcesses) expect(await processesIn(dataDir)).toEqual([]);

    const foreign = await processes.newDataDir();
    const line = failureOf(await processes.run([], { env: { DATA_DIR: foreign }, account }));
    expect(line).toMatch(/DATA_DIR.*EACCES/);
  },
);

async function nobodyAccount(): Promise<{ uid: number; gid: number }> {
  const line = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile("/etc/passwd", "utf8"));
  return { uid: Number(line?.[1]), gid: Number(line?.[2]) };
}

async function canRead(account: { uid: number; gid: number }, directory: string): Promise<boolean> {
  const options = { ...account, cwd: "/" };
  return promisify(execFile)(process.execPath, ["--check", join(directory, "src", "main.js")], options).then(
    () => true,
    () => false,
  );
}
