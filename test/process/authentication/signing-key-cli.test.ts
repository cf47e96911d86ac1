import { afterAll, beforeAll, expect, test } from "vitest";
import { ENCRYPTION_KEY } from "../../support/embed/sessions.js";
import { databaseUrl } from "../../support/postgres/database-url.js";
import { callRest } from "../../support/rest/rest-client.js";
import { createTestProcesses } from "../../support/service/running-process.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const processes = createTestProcesses();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ encryptionKey: ENCRYPTION_KEY });
});
afterAll(() => service.close());

test("`signing-key` adds a key, lists the keys without secrets, and revokes former ones", async () => {
  const env = {
    DATABASE_URL: databaseUrl(service.owner),
    ENCRYPTION_KEYS: ENCRYPTION_KEY.toString("base64"),
  };
  const run = (...args: string[]) => processes.run(["signing-key", ...args], { env });
  const { body } = await callRest(`${service.url}/.well-known/jwks.json`, "GET", undefined);
  const [{ kid: first }] = Object(body).keys;

  const rotated = await run("rotate");
  expect(rotated.code).toBe(0);
  const [, second = ""] = /^added ([\w-]{43}), which signs from \S+Z\n$/.exec(rotated.stdout) ?? [];
  const { stdout } = await run("list");
  const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
  expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([
    ["ID", "STATE"],
    [first, "signing"],
    [second, "published"],
    ["", ""],
  ]);

  const [, third = ""] = /^added (\S+),/.exec((await run("rotate", "--revoke")).stdout) ?? [];
  expect(await service.query("SELECT id FROM signing_key")).toEqual([{ id: third }]);
});
