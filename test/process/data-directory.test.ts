import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callRest } from "../support/rest/rest-client.js";
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
