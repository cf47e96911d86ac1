import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseUrl } from "../support/postgres/database-url.js";
import { administer } from "../support/postgres/postgres-setup.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { runHere } from "../support/service/command.js";
import { createTestProcesses, failureOf } from "../support/service/running-process.js";

const processes = createTestProcesses();
/** Accepts connections and never replies. */
const other = createServer();
let otherPort: string;
let database: TestDatabase;
beforeAll(async () => {
  await once(other.listen(0, "127.0.0.1"), "listening");
  const address = other.address();
  otherPort = typeof address === "object" ? String(address?.port) : "";
  database = await createTestDatabase("empty");
});
afterAll(async () => {
  await processes.close();
  other.close();
  await database.drop();
});

/** Starts the service, which must fail with one line. @returns the line */
async function startFailing(env: Readonly<Record<string, string>>, code = 1): Promise<string> {
  const DATA_DIR = await processes.newDataDir();
  const line = failureOf(await processes.run([], { env: { DATA_DIR, ...env } }), code);
  await expect(access(DATA_DIR)).rejects.toThrow("ENOENT");
  return line;
}

describe("a start fails in one line, without secrets, and creates no DATA_DIR", () => {
  test("reports every invalid setting", async () => {
    const wrong = {
      PORT: "4000x-secret",
      DATABASE_URL: "mysql://root:secret@localhost/db",
      ENCRYPTION_KEYS: "c2VjcmV0",
      DATABASE_POOL_SIZE: "0",
      LOG_LEVEL: "secret",
    };
    const line = await startFailing(wrong);
    expect(line).toMatch(/^Invalid settings: /);
    for (const name of Object.keys(wrong)) expect(line).toContain(`${name} must be `);
    expect(line).not.toMatch(/secret|c2VjcmV0/);
  });

  test.each<[string, () => Readonly<Record<string, string>>, RegExp]>([
    [
      "a HOST that does not exist",
      () => ({ HOST: "no-such-host.invalid" }),
      /^Cannot resolve HOST no-such-host\.invalid: /,
    ],
    [
      "a PORT in use",
      () => ({ PORT: otherPort }),
      /^PORT \d+ on 127\.0\.0\.1 is in use\. Stop the other program or set another PORT\.$/,
    ],
    [
      "a PORT in use, before the database is migrated",
      () => ({ PORT: otherPort, DATABASE_URL: databaseUrl(database.target) }),
      /^PORT \d+ on 127\.0\.0\.1 is in use\. /,
    ],
  ])("reports %s", async (_name, env, message) => {
    expect(await startFailing(env())).toMatch(message);
    // Fails if it is not empty.
    await administer(database.target, "DROP SCHEMA public RESTRICT; CREATE SCHEMA public");
  });

  test.each<[string, () => string, RegExp]>([
    ["no server", () => "postgres://user:pass-word@127.0.0.1:1/db", /connect ECONNREFUSED 127\.0\.0\.1:1\.$/],
    [
      "a wrong password",
      () => databaseUrl(database.target, { password: "pass-word" }),
      /password authentication failed/,
    ],
    [
      "no password",
      () => databaseUrl(database.target, { password: "" }),
      /the server requires a password, but the URL has none\.$/,
    ],
    [
      "a database that does not exist",
      () => databaseUrl(database.target, { database: "no_such_database" }),
      /database "no_such_database" does not exist/,
    ],
    [
      "a server that does not respond",
      () => `postgres://user:pass-word@127.0.0.1:${otherPort}/db`,
      /timeout/,
    ],
  ])("reports %s of DATABASE_URL", async (_name, url, message) => {
    const line = await startFailing(
      {
        DATABASE_URL: url(),
        DATABASE_CONNECT_TIMEOUT_MS: "1000",
        ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
      },
      3,
    );
    expect(line).toMatch(/^Cannot connect to the database in DATABASE_URL: /);
    expect(line).toMatch(message);
    expect(line).not.toContain(new URL(url().replace("@/", "@x/")).password || "pass-word");
  });
});

test("a start reports ENCRYPTION_KEYS that do not match the database", async () => {
  const migrated = await createTestDatabase();
  const [own, other] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
  const start = (key = "") => ({ DATABASE_URL: databaseUrl(migrated.target), ENCRYPTION_KEYS: key });
  expect(await runHere(["account", "create", "acme"], start(own))).toMatchObject({ code: 0 });
  const line = await startFailing(start(other));
  expect(line).toMatch(/^The tokens in this database are encrypted with other keys/);
  for (const key of [own, other]) expect(line).not.toContain(key);
  await migrated.drop();
});

test("a start reports an unusable DATA_DIR", async () => {
  const file = await processes.newDataDir();
  await writeFile(file, "");
  expect(failureOf(await processes.run([], { env: { DATA_DIR: file } }))).toMatch(/DATA_DIR.*EEXIST/);
});
