import { once } from "node:events";
import { access, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseUrl } from "../support/postgres/database-url.js";
import { administer } from "../support/postgres/postgres-setup.js";
import { createTestDatabase } from "../support/postgres/test-database.js";
import { createTestProcesses, failureOf } from "../support/service/running-process.js";

const processes = createTestProcesses();
afterAll(() => processes.close());

describe("a start with invalid settings", () => {
  test("reports every invalid setting in one line, without values", async () => {
    const dataDir = await processes.newDataDir();
    const wrong = {
      PORT: "4000x-secret",
      DATABASE_URL: "mysql://root:secret@localhost/db",
      ENCRYPTION_KEYS: "c2VjcmV0",
      DATABASE_POOL_SIZE: "0",
      LOG_LEVEL: "secret",
    };
    const line = failureOf(await processes.run([], { env: { DATA_DIR: dataDir, ...wrong } }));
    expect(line).toMatch(/^Invalid settings: /);
    for (const name of Object.keys(wrong)) expect(line).toContain(`${name} must be `);
    expect(line).not.toMatch(/secret|c2VjcmV0/);
    await expect(access(dataDir)).rejects.toThrow("ENOENT");
  });

  test("reports a HOST that does not exist", async () => {
    const env = { DATA_DIR: await processes.newDataDir(), HOST: "no-such-host.invalid" };
    expect(failureOf(await processes.run([], { env }))).toMatch(
      /^Cannot resolve HOST no-such-host\.invalid: /,
    );
  });

  test("reports an unusable DATA_DIR", async () => {
    const file = await processes.newDataDir();
    await writeFile(file, "");
    expect(failureOf(await processes.run([], { env: { DATA_DIR: file } }))).toMatch(/DATA_DIR.*EEXIST/);
  });
});

describe("a start on a port in use", () => {
  const other = createServer();
  let port: string;
  beforeAll(async () => {
    await once(other.listen(0, "127.0.0.1"), "listening");
    port = String(portOf(other.address()));
  });
  afterAll(() => other.close());

  test("fails in one line and creates no DATA_DIR", async () => {
    const dataDir = await processes.newDataDir();
    const line = failureOf(await processes.run([], { env: { PORT: port, DATA_DIR: dataDir } }));
    expect(line).toBe(`PORT ${port} on 127.0.0.1 is in use. Stop the other program or set another PORT.`);
    await expect(access(dataDir)).rejects.toThrow("ENOENT");
  });

  test("fails in one line and leaves the DATABASE_URL database unchanged", async () => {
    const database = await createTestDatabase("empty");
    const dataDir = await processes.newDataDir();
    const env = { PORT: port, DATA_DIR: dataDir, DATABASE_URL: databaseUrl(database.target) };
    expect(failureOf(await processes.run([], { env }))).toContain(`PORT ${port} on 127.0.0.1 is in use`);
    // Fails if it is not empty.
    await administer(database.target, "DROP SCHEMA public RESTRICT");
    await database.drop();
  });
});

function portOf(address: AddressInfo | string | null): number {
  return address !== null && typeof address !== "string" ? address.port : Number.NaN;
}
