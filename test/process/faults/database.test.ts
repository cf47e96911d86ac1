import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEmbeddedServer } from "../../../src/embedded-postgres/postgres.js";
import { migrateUp } from "../../../src/persistence/database/migrator.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import { startTestService } from "../../support/service/test-service.js";

const query = `{ userGroup(by: { providedId: "acme" }) { name } }`;
const acme = { user_group_id: "acme", name: "Acme" };

test("returns 503 with Retry-After when the database is unreachable", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "user-groups-fault-"));
  const server = await openEmbeddedServer({
    dataDir,
    password: "x".repeat(20),
    database: "fault",
    adopt: false,
  });
  const service = await startTestService({ use: { target: server.connection, owner: server.connection } });
  try {
    await migrateUp(service.database);
    const { secret } = await (await service.createAccount()).createKey();
    expect((await callRest(`${service.url}/api/user`, "GET", secret, acme)).status).toBe(200);
    await server.stop();

    const reply = await callRest(`${service.url}/api/user`, "GET", secret, acme);
    expectError(reply, 503, {
      code: "unavailable",
      message: "The service is temporarily unavailable. Try again shortly.",
    });
    expect(reply.headers["retry-after"]).toBe("1");
    expect(await callGraphql(service.url, secret, query)).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      body: { errors: [{ extensions: { code: "UNAVAILABLE", retryAfter: 1 } }] },
    });
    // Each probe gets a reply, and the log one line for all of them.
    for (let probe = 0; probe < 3; probe += 1)
      expect((await callRest(`${service.url}/readyz`, "GET", undefined)).status).toBe(503);
    const probed = service.log.filter((line) => line.includes("readyz") || line.includes("not ready"));
    expect(probed.map((line) => JSON.parse(line))).toEqual([
      { level: 40, time: expect.any(Number), reason: expect.any(String), msg: "not ready" },
    ]);
    expect((await callRest(`${service.url}/livez`, "GET", undefined)).status).toBe(200);
    expect(service.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  } finally {
    await service.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test("recovers after every connection was cut", async () => {
  const service = await startTestService();
  try {
    const { secret } = await (await service.createAccount()).createKey();
    await Promise.all(
      Array.from({ length: 10 }, () => callRest(`${service.url}/api/user`, "GET", secret, acme)),
    );
    const cut =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    await service.query(cut);
    // Reads are retried on a working connection.
    expect((await callRest(`${service.url}/api/user`, "GET", secret, acme)).status).toBe(200);
    await service.query(cut);
    expect((await callRest(`${service.url}/api/user`, "GET", secret, acme)).status).toBe(200);
  } finally {
    await service.close();
  }
});
