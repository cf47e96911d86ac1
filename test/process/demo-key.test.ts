import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const processes = createTestProcesses();
afterAll(() => processes.close());

test("the pages get the demo key on first and later starts, on loopback addresses only", async () => {
  const dataDir = await processes.newPreparedDataDir();
  const start = (host: string) => processes.serve({ env: { DATA_DIR: dataDir, HOST: host } });
  const first = await start("127.0.0.1");
  const [key = ""] = /ugk_live_\w+/.exec(first.startUpText) ?? [];
  const data = { disabled: [], demo: { apiKey: key, dataSource: "demo-sales" } };
  expect(await readPageData(first)).toEqual(data);
  expect((await stat(join(dataDir, "secrets.json"))).mode & 0o777).toBe(0o600);
  await stop(first, key);

  const second = await start("localhost");
  expect(second.startUpText).not.toContain("ugk_");
  expect(await readPageData(second)).toEqual(data);
  await stop(second, key);

  const open = await start("0.0.0.0");
  expect(await readPageData(open)).toEqual({ disabled: [] });
  await stop(open, key);
});

async function readPageData({ url }: RunningService): Promise<unknown> {
  return (await fetch(`${url}/pages.json`)).json();
}

async function stop(service: RunningService, key: string): Promise<void> {
  service.kill("SIGTERM");
  const { code, stderr } = await service.ended;
  expect(code).toBe(0);
  expect(stderr).not.toContain(key);
}
