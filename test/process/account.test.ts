import { execFile } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { callRest } from "../support/rest/rest-client.js";
import { compileService } from "../support/service/compiled-service.js";
import { processesIn, seesProcesses } from "../support/service/data-directory.js";
import { createTestProcesses, failureOf } from "../support/service/running-process.js";

const isRoot = process.getuid?.() === 0;
const processes = createTestProcesses();
afterAll(() => processes.close());

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
