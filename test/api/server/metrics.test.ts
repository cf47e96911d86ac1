import { afterAll, describe, expect, test } from "vitest";
import { Database } from "../../../src/persistence/database/database.js";
import { countOnly } from "../../../src/telemetry/telemetry.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { createTestDatabase } from "../../support/postgres/test-database.js";
import { callRest } from "../../support/rest/rest-client.js";
import { readSamples, type Sample, scrape, sumOf } from "../../support/service/metric-samples.js";
import { startRunningApp } from "../../support/service/running-app.js";
import { startReceiver } from "../../support/webhooks/receiver.js";

const settings = { WEBHOOK_ALLOW_PRIVATE: "true", AUTH_FAILURE_LIMIT: "3", LOG_LEVEL: "info" };
const running = await startRunningApp(settings, afterAll);

/** The increase of metrics during an action. */
async function growth(work: () => Promise<unknown>) {
  const before = await scrape(running.url);
  await work();
  const after = await scrape(running.url);
  return (name: string, labels: Readonly<Record<string, string>> = {}) =>
    (sumOf(after, name, labels) ?? 0) - (sumOf(before, name, labels) ?? 0);
}

const getGroup = (id: string) =>
  callRest(`${running.url}/api/user`, "GET", running.key, { user_group_id: id, name: id });

describe("request metrics", () => {
  test("count replies by method, route and status, and never by caller input", async () => {
    const grown = await growth(async () => {
      await getGroup("acme");
      await callRest(`${running.url}/api/user/`, "GET", running.key, { user_group_id: "acme" });
      await callRest(`${running.url}/api/user`, "PUT", running.key, { user_group_id: "nobody-there" });
      await callRest(`${running.url}/site-config/a-site-of-mine`, "GET", running.key);
      await callRest(`${running.url}/a-path-of-mine`, "GET", undefined);
      await callRest(`${running.url}/api/user`, "LINK", running.key);
    });
    const count = "http_request_duration_seconds_count";
    expect(grown(count, { method: "GET", route: "/api/user", status: "200" })).toBe(2);
    expect(grown(count, { method: "PUT", route: "/api/user", status: "404" })).toBe(1);
    expect(grown(count, { method: "GET", route: "/site-config/:site", status: "404" })).toBe(1);
    expect(grown(count, { method: "GET", route: "unknown", status: "404" })).toBe(1);
    expect(grown(count, { method: "other", route: "/api/user", status: "405" })).toBe(1);
    expect(grown("http_request_duration_seconds_bucket", { route: "/api/user", le: "+Inf" })).toBe(4);
    expect(grown("http_request_duration_seconds_sum", { route: "/api/user" })).toBeGreaterThan(0);
    const words = JSON.stringify(await scrape(running.url));
    for (const word of ["acme", "of-mine", "nobody-there", "LINK", "Observed"])
      expect(words).not.toContain(word);
  });

  test("count errors by API and code", async () => {
    const grown = await growth(async () => {
      await callRest(`${running.url}/api/user`, "GET", running.key, "{");
      await callGraphql(running.url, running.key, "{ nothing }");
      await callGraphql(
        running.url,
        running.key,
        "mutation { deleteUserGroup(input: {}) { userErrors { code } } }",
      );
      await callGraphql(
        running.url,
        running.key,
        'mutation { rotateToken(input: {by: { token: "x" }}) { userErrors { code } } }',
      );
      await callRest(`${running.url}/graphql`, "POST", running.key, { query: "" });
    });
    const errors = "user_groups_errors_total";
    expect(grown(errors, { api: "rest", code: "invalid_json" })).toBe(1);
    expect(grown(errors, { api: "graphql", code: "graphql_validation_failed" })).toBeGreaterThanOrEqual(1);
    expect(grown(errors, { api: "graphql", code: "bad_request" })).toBe(1);
    expect(grown(errors)).toBe(5);
  });

  test("time GraphQL operations by type and outcome", async () => {
    const grown = await growth(async () => {
      for (let count = 0; count < 5; count += 1)
        await callGraphql(running.url, running.key, "query Mine { viewer { environment } }");
      await callGraphql(
        running.url,
        running.key,
        'mutation { createUserGroup(input: {providedId: "m", name: "M"}) { userGroup { id } } }',
      );
      await callGraphql(running.url, running.key, '{ userGroup(by: {providedId: ""}) { id } }');
      // Rejected before execution.
      await callGraphql(running.url, undefined, '{ userGroup(by: {providedId: "m"}) { id } }');
    });
    const count = "user_groups_graphql_operation_duration_seconds_count";
    expect(grown(count, { type: "query", outcome: "ok" })).toBe(5);
    expect(grown(count, { type: "mutation", outcome: "ok" })).toBe(1);
    expect(grown(count, { type: "query", outcome: "errors" })).toBe(1);
    expect(
      grown("user_groups_cache_requests_total", { cache: "documents", result: "hit" }),
    ).toBeGreaterThanOrEqual(3);
    expect(grown("user_groups_cache_requests_total", { cache: "compiled_operations", result: "hit" })).toBe(
      2,
    );
  });

  test("count requests in flight, subscriptions and clients that disconnect", async () => {
    const group = `subscription { userGroupChanged(by: {providedId: "m"}) { kind } }`;
    const before = await scrape(running.url);
    const stream = await openEventStream(running.url, `Token ${running.key}`, group);
    await expect.poll(async () => sumOf(await scrape(running.url), "user_groups_subscriptions")).toBe(1);
    expect(sumOf(await scrape(running.url), "http_requests_in_progress")).toBe(2);
    stream.close();
    await expect.poll(async () => sumOf(await scrape(running.url), "user_groups_subscriptions")).toBe(0);
    const after = await scrape(running.url);
    expect(sumOf(after, "http_requests_in_progress")).toBe(1);
    const abandoned = (samples: readonly Sample[]) => sumOf(samples, "http_requests_abandoned_total") ?? 0;
    expect(abandoned(after) - abandoned(before)).toBe(1);
  });
});

describe("database and webhook metrics", () => {
  test("time statements by name, and count the requests per statement", async () => {
    await getGroup("acme");
    const grown = await growth(() => Promise.all(Array.from({ length: 20 }, () => getGroup("acme"))));
    const statements = grown("user_groups_database_statement_duration_seconds_count", {
      statement: "user_groups_by_provided_ids",
      outcome: "ok",
    });
    expect(statements).toBeGreaterThan(0);
    const loader = "user_groups_by_provided_id";
    expect(grown("user_groups_batched_calls_count", { loader })).toBe(statements);
    expect(grown("user_groups_batched_calls_sum", { loader })).toBe(20);
    expect(grown("user_groups_cache_requests_total", { cache: "api_keys", result: "hit" })).toBeGreaterThan(
      0,
    );
    expect(grown("user_groups_cache_requests_total", { cache: "tokens" })).toBe(20);
  });

  test("count waits for a connection", async () => {
    const grown = await growth(() => getGroup("created now"));
    expect(grown("user_groups_database_connection_wait_seconds_count")).toBeGreaterThan(0);
  });

  test("count connections and failed statements", async () => {
    const samples = await scrape(running.url);
    expect(sumOf(samples, "user_groups_database_connections_max")).toBe(10);
    expect(sumOf(samples, "user_groups_database_connections")).toBeGreaterThan(0);
    expect(sumOf(samples, "user_groups_database_waiting")).toBe(0);
    const grown = await growth(async () => {
      await running.query("ALTER TABLE data_source RENAME TO hidden");
      const reply = await callGraphql(running.url, running.key, "{ dataSources { nodes { id } } }");
      await running.query("ALTER TABLE hidden RENAME TO data_source");
      expect(reply.status).toBe(500);
    });
    const labels = { statement: "data_source_list_id_first", outcome: "error" };
    expect(
      grown("user_groups_database_statement_duration_seconds_count", { outcome: "error" }),
      JSON.stringify(labels),
    ).toBe(1);
    expect(grown("user_groups_errors_total", { api: "graphql", code: "internal" })).toBe(1);
  });

  test("count timed-out waits for a connection", async () => {
    const { target, drop } = await createTestDatabase();
    const telemetry = countOnly();
    const options = { poolSize: 1, connectTimeoutMs: 3_000, statementTimeoutMs: 10_000 };
    const database = await Database.connect({ ...options, target, telemetry });
    const { registry } = telemetry.metrics;
    await database.transaction("operator", async () => {
      await expect(database.run({ access: "read", text: "SELECT 1" }, [])).rejects.toMatchObject({
        code: "unavailable",
      });
    });
    await database.close();
    await drop();
    const samples = readSamples(await registry.metrics());
    expect(sumOf(samples, "user_groups_database_connection_wait_seconds_count")).toBe(2);
    expect(sumOf(samples, "user_groups_database_connection_wait_seconds_sum")).toBeGreaterThan(2.9);
  });

  test("count webhook attempts by outcome, and pending deliveries", async () => {
    const receiver = await startReceiver((_, count) => ({ status: count === 1 ? 204 : 410 }));
    const create = `mutation ($url: String!) { createWebhookEndpoint(input: {name: "r", url: $url}) { secret } }`;
    await callGraphql(running.url, running.key, create, { url: receiver.url });
    const grown = await growth(async () => {
      for (const id of ["one", "two"]) {
        await getGroup(id);
        const attempts = id === "one" ? 1 : 2;
        await expect.poll(() => receiver.received.length).toBe(attempts);
      }
      await expect
        .poll(async () => sumOf(await scrape(running.url), "user_groups_webhook_attempts_total"))
        .toBe(2);
    });
    expect(grown("user_groups_webhook_attempts_total", { outcome: "delivered" })).toBe(1);
    expect(grown("user_groups_webhook_attempts_total", { outcome: "dead" })).toBe(1);
    const samples = await scrape(running.url);
    expect(sumOf(samples, "user_groups_webhook_outbox_readable")).toBe(1);
    expect(sumOf(samples, "user_groups_webhook_deliveries_due")).toBe(0);
    expect(sumOf(samples, "user_groups_webhook_lateness_seconds")).toBe(0);
  });

  test("count invalid credentials and rejections", async () => {
    const grown = await growth(async () => {
      for (let count = 0; count < 5; count += 1)
        await callRest(`${running.url}/api/user`, "GET", "ugk_live_false", {});
    });
    expect(grown("user_groups_authentication_failures_total")).toBe(5);
    expect(grown("user_groups_rate_limit_refusals_total", { policy: "auth-failures" })).toBe(2);
  });
});
