import { stat } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { afterAll, expect, test } from "vitest";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const processes = createTestProcesses();
afterAll(() => processes.close());

test("the playground contains the demo key on first and later starts, on loopback addresses only", async () => {
  const dataDir = await processes.newPreparedDataDir();
  const start = (host: string) => processes.serve({ env: { DATA_DIR: dataDir, HOST: host } });
  const first = await start("127.0.0.1");
  const [key = ""] = /ugk_live_\w+/.exec(first.startUpText) ?? [];
  expect(await openPlayground(first)).toContain(`data-demo-key="${key}"`);
  expect((await stat(join(dataDir, "secrets.json"))).mode & 0o777).toBe(0o600);
  await stop(first, key);

  const second = await start("localhost");
  expect(second.startUpText).not.toContain("ugk_");
  expect(await openPlayground(second)).toContain(`data-demo-key="${key}"`);
  await stop(second, key);

  const open = await start("0.0.0.0");
  expect(await openPlayground(open)).toContain('<div id="root"></div>');
  await stop(open, key);
});

async function openPlayground({ url }: RunningService): Promise<string> {
  const reply = await request(`${url}/graphql`, { headers: { accept: "text/html" } });
  return reply.body.text();
}

async function stop(service: RunningService, key: string): Promise<void> {
  service.kill("SIGTERM");
  const { code, stderr } = await service.ended;
  expect(code).toBe(0);
  expect(stderr).not.toContain(key);
}
