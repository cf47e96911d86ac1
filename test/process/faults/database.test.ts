import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmbeddedServer } from "../../../src/embedded-postgres/postgres.js";
import { migrateUp } from "../../../src/persistence/database/migrator.js";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

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

describe("while another transaction holds a group", () => {
  let service: TestService;
  let key: string;
  const call = (method: string, body: object) => callRest(`${service.url}/api/user`, method, key, body);
  beforeAll(async () => {
    service = await startTestService();
    key = (await (await service.createAccount()).createKey()).secret;
  });
  afterAll(() => service.close());

  /** Runs `work` while another transaction locks the group's row; then commits it. */
  async function whileLocked(
    providedId: string,
    work: (query: (sql: string) => Promise<unknown>) => Promise<void>,
  ) {
    const client = new Client(clientOptions(service.owner));
    await client.connect();
    try {
      await client.query("BEGIN");
      await client.query("SELECT FROM user_group WHERE provided_id = $1 FOR UPDATE", [providedId]);
      await work((sql) => client.query(sql));
      await client.query("COMMIT");
    } finally {
      await client.end();
    }
  }

  const untilWaiting = async () => {
    const waiting =
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    for (;;) {
      const rows: { pid: number }[] = await service.query(waiting);
      if (rows[0]) return rows[0].pid;
    }
  };

  test("returns 503 when a connection is cut within a transaction, and keeps running", async () => {
    await call("GET", { user_group_id: "cut", name: "Cut" });
    const change = { user_group_id: "cut", mapping: { a: "sales" } };
    await whileLocked("cut", async () => {
      const reply = call("PUT", change);
      const pid = await untilWaiting();
      await service.query("SELECT pg_terminate_backend($1)", [pid]);
      expect((await reply).status).toBe(503);
    });
    expect((await call("PUT", change)).status).toBe(200);
  });

  test("a deletion that waited for a mapping change sees the new mapping", async () => {
    const created = await call("GET", { user_group_id: "race", name: "Race", mapping: { a: "sales" } });
    const token = Object(created.body).user_group.token;
    const replies: Promise<{ status: number }>[] = [];
    await whileLocked("race", async (query) => {
      const reply = call("DELETE", { current_token: token, data_source_provided_id: "sales" });
      await untilWaiting();
      await query("UPDATE user_group SET version = version + 1 WHERE provided_id = 'race'");
      await query("DELETE FROM mapping_entry WHERE schema_id = 'a'");
      replies.push(reply);
    });
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([409]);
    expect((await call("PUT", { user_group_id: "race" })).status).toBe(200);
  });
});

test("rejects requests immediately when the wait for a connection would be too long", async () => {
  const service = await startTestService({
    poolSize: 1,
    queueSize: 5,
    speed: { batchStatements: false, keyCacheMs: 0 },
  });
  try {
    const { secret } = await (await service.createAccount()).createKey();
    await callRest(`${service.url}/api/user`, "GET", secret, acme);
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => callRest(`${service.url}/api/user`, "GET", secret, acme)),
    );
    const refused = replies.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, body } of refused) {
      expect(headers["retry-after"]).toBe("1");
      expect(body).toMatchObject({ error: { code: "unavailable" } });
    }
    for (const { status, body } of replies) {
      if (status !== 503)
        expect({ status, body }).toMatchObject({ status: 200, body: { new_user_group: false } });
    }
    expect((await callRest(`${service.url}/api/user`, "GET", secret, acme)).status).toBe(200);
  } finally {
    await service.close();
  }
});

test("returns 503 and changes nothing when a lock wait times out", async () => {
  const service = await startTestService({ lockTimeoutMs: 200 });
  const client = new Client(clientOptions(service.owner));
  try {
    const { secret } = await (await service.createAccount()).createKey();
    await callRest(`${service.url}/api/user`, "GET", secret, acme);
    await client.connect();
    await client.query("BEGIN");
    await client.query("SELECT FROM user_group FOR UPDATE");
    const change = { user_group_id: "acme", name: "Changed" };
    const reply = await callRest(`${service.url}/api/user`, "PUT", secret, change);
    expectError(reply, 503, { code: "unavailable", message: expect.any(String) });
    await client.query("COMMIT");
    expect(await callRest(`${service.url}/api/user`, "GET", secret, acme)).toMatchObject({
      body: { user_group: { name: "Acme" } },
    });
  } finally {
    await client.end();
    await service.close();
  }
});
