import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { callRest } from "../support/rest/rest-client.js";
import { currentSecrets } from "../support/secrets/run-record.js";
import { findSecrets } from "../support/secrets/secret-search.js";
import { scrape, sumOf } from "../support/service/metric-samples.js";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../support/service/otlp-receiver.js";
import { type RunningApp, startRunningApp } from "../support/service/running-app.js";
import { startReceiver } from "../support/webhooks/receiver.js";

const COLLECTOR_KEY = "a-key-that-the-collector-wants";

// OpenTelemetry's packages read these variables themselves.
afterEach(() => void vi.unstubAllEnvs());

async function startTraced(receiver: OtlpReceiver, settings: Readonly<Record<string, string>> = {}) {
  return startRunningApp({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    ...settings,
  });
}

/** The path from a span to its root, by names. */
function pathToRoot(spans: readonly ReceivedSpan[], span: ReceivedSpan | undefined): string[] {
  if (!span) return [];
  return [
    span.name,
    ...pathToRoot(
      spans,
      spans.find(({ spanId }) => spanId === span.parentSpanId),
    ),
  ];
}

const newIds = () => ({ traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex") });
const traceparent = ({ traceId, spanId }: ReturnType<typeof newIds>, flags = "01") => ({
  traceparent: `00-${traceId}-${spanId}-${flags}`,
});
const getGroup = ({ url, key }: RunningApp, id: string, headers: Readonly<Record<string, string>> = {}) =>
  callRest(`${url}/api/user`, "GET", key, { user_group_id: id, name: "Secretive Inc." }, headers);

/** Returns how many calls were answered by another call's statement. */
async function countShared({ url }: RunningApp): Promise<number> {
  const samples = await scrape(url);
  const [calls = 0, statements = 0] = ["sum", "count"].map((part) =>
    sumOf(samples, `user_groups_batched_calls_${part}`, { loader: "user_groups_by_provided_id" }),
  );
  return calls - statements;
}

describe("a traced request", () => {
  test("spans HTTP, batches and SQL, with tenant and request ID", async () => {
    const receiver = await startOtlpReceiver();
    vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
    const running = await startTraced(receiver);
    await getGroup(running, "acme");
    const ids = newIds();
    await getGroup(running, "acme", { ...traceparent(ids), "x-request-id": "request-of-mine" });
    await running.close();
    const spans = receiver.spans().filter(({ traceId }) => traceId === ids.traceId);
    const statement = spans.find(({ name }) => name === "user_groups_by_provided_ids");
    expect(pathToRoot(spans, statement)).toEqual([
      "user_groups_by_provided_ids",
      "load user_groups_by_provided_id",
      "collect user_groups_by_provided_id",
      "GET /api/user",
    ]);
    expect(statement).toMatchObject({ kind: 3, attributes: { "db.system.name": "postgresql" } });
    const root = spans.find(({ name }) => name === "GET /api/user");
    expect(root).toEqual({
      name: "GET /api/user",
      ...ids,
      spanId: expect.any(String),
      parentSpanId: ids.spanId,
      kind: 2,
      attributes: {
        "http.request.method": "GET",
        "http.route": "/api/user",
        "http.response.status_code": 200,
        "user_groups.request_id": "request-of-mine",
        "user_groups.account_id": running.accountId,
        "user_groups.environment": "Customer",
      },
      links: [],
      failed: false,
    });
    const line = running.log.find(({ requestId }) => requestId === "request-of-mine");
    expect(line).toMatchObject({ traceId: ids.traceId, spanId: root?.spanId, accountId: running.accountId });
    expect(receiver.requests[0]?.body.toString()).toContain("deployment.environment.name");
  });

  test("has a span per root field of a GraphQL operation, with the schema's names", async () => {
    const receiver = await startOtlpReceiver();
    const running = await startTraced(receiver);
    await getGroup(running, "acme");
    const query = `query OperationOfMine { aliasOfMine: userGroup(by: {providedId: "acme"}) { name mapping { schemaId } } }`;
    // Interpreted by Apollo Server, interpreted on the fast path, and compiled.
    for (let count = 0; count < 6; count += 1) await callGraphql(running.url, running.key, query);
    await running.close();
    const spans = receiver.spans();
    const ways = spans
      .filter(({ name }) => name === "user_groups_by_provided_ids")
      .map((span) => pathToRoot(spans, span).slice(2));
    const way = ["collect user_groups_by_provided_id", "Query.userGroup", "graphql query", "POST /graphql"];
    expect(ways.slice(-6)).toEqual(Array.from({ length: 6 }, () => way));
    const mappings = spans.filter(({ name }) => name === "collect mappings");
    expect(mappings.map((span) => pathToRoot(spans, span).slice(-2))).toEqual(
      Array.from({ length: 6 }, () => ["graphql query", "POST /graphql"]),
    );
    expect(JSON.stringify(spans)).not.toMatch(/OfMine/);
  });

  test("links to statements shared with other requests", async () => {
    const receiver = await startOtlpReceiver();
    const running = await startTraced(receiver);
    await getGroup(running, "acme");
    // Calls share a statement if they arrive while two others are running, which is likely, but depends on the database's speed.
    for (let round = 0; round < 20 && (await countShared(running)) === 0; round += 1) {
      const calls = Array.from({ length: 100 }, () => getGroup(running, "acme", traceparent(newIds())));
      for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    }
    await running.close();
    const spans = receiver.spans();
    const shared = spans.filter(({ name, links }) => name.startsWith("load ") && links.length > 0);
    expect(shared.length).toBeGreaterThan(0);
    for (const { spanId, links, attributes } of shared) {
      expect(attributes["user_groups.calls"]).toBe(links.length + 1);
      const others = spans.filter((span) => links.includes(span.spanId));
      expect(others.map(({ name }) => name)).toEqual(links.map(() => "collect user_groups_by_provided_id"));
      for (const other of others) expect(other.links).toEqual([spanId]);
    }
  });

  test("records transactions, webhooks and failures, but no secrets or caller data", async () => {
    const receiver = await startOtlpReceiver();
    const hook = await startReceiver(() => ({ status: 500 }));
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", `x-collector-key=${COLLECTOR_KEY}`);
    const running = await startTraced(receiver, { WEBHOOK_ALLOW_PRIVATE: "true" });
    const { url, key } = running;
    const create = `mutation ($url: String!) { createWebhookEndpoint(input: {name: "NameOfMine", url: $url}) { secret } }`;
    await callGraphql(url, key, create, { url: hook.url });
    const { body } = await getGroup(running, "id-of-mine");
    const { token } = Object(body).user_group;
    await callRest(
      `${url}/api/user`,
      "POST",
      key,
      { current_token: token },
      { "idempotency-key": "key-of-mine" },
    );
    await callRest(`${url}/site-config/site-of-mine?revision=1`, "GET", key);
    await callRest(`${url}/path-of-mine`, "GET", "ugk_live_false");
    await callGraphql(url, undefined, "{ viewer { environment } }");
    await callRest(`${url}/livez`, "GET", undefined);
    await running.query("ALTER TABLE data_source RENAME TO hidden");
    await callGraphql(url, key, "{ dataSources { nodes { id } } }");
    await running.query("ALTER TABLE hidden RENAME TO data_source");
    await expect.poll(() => hook.received.length).toBeGreaterThan(0);
    await running.close();
    const spans = receiver.spans();
    const named = (name: string) => spans.filter((span) => span.name === name);
    expect(named("transaction").map((span) => pathToRoot(spans, span).at(-1))).toContain("POST /api/user");
    const [attempt] = named("webhook attempt");
    expect(attempt).toMatchObject({
      parentSpanId: undefined,
      failed: true,
      attributes: { "user_groups.outcome": "failed", "http.response.status_code": 500, "error.type": "500" },
    });
    // 42P01: PostgreSQL's code for an unknown table.
    expect(
      spans
        .filter(({ attributes }) => attributes["error.type"] === "42P01")
        .map((span) => pathToRoot(spans, span).at(-1)),
    ).toContain("POST /graphql");
    expect(spans.filter(({ kind, failed }) => kind === 2 && failed).map(({ name }) => name)).toEqual([
      "POST /graphql",
    ]);
    expect(named("GET /livez")).toEqual([]);
    const exported = receiver.requests.map(({ body: sent }) => sent.toString("utf8")).join("\n");
    expect(findSecrets(exported, currentSecrets())).toEqual([]);
    expect(exported).not.toMatch(/of-mine|OfMine|Secretive|Observed/);
    expect(exported).not.toContain(COLLECTOR_KEY);
    expect(receiver.requests.map(({ key: sent }) => sent)).toContain(COLLECTOR_KEY);
  });
});

describe("untraced requests", () => {
  test("are those that the caller or the sampler excludes", async () => {
    const receiver = await startOtlpReceiver();
    const running = await startTraced(receiver);
    await getGroup(running, "acme", traceparent(newIds(), "00"));
    await running.close();
    const quiet = await startTraced(receiver, {
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0",
    });
    await getGroup(quiet, "acme", traceparent(newIds()));
    await quiet.close();
    expect(receiver.spans()).toEqual([]);
  });

  test("are all requests by default", async () => {
    const running = await startRunningApp();
    await getGroup(running, "acme", traceparent(newIds()));
    expect(running.log.filter((line) => "traceId" in line)).toEqual([]);
  });
});

describe("export to the collector", () => {
  test("uses OTLP with Protocol Buffers by default", async () => {
    const receiver = await startOtlpReceiver();
    const running = await startRunningApp({ OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/base/` });
    await getGroup(running, "acme");
    await running.close();
    expect(receiver.requests.map(({ path, type }) => ({ path, type }))).toContainEqual({
      path: "/base/v1/traces",
      type: "application/x-protobuf",
    });
    const sent = Buffer.concat(receiver.requests.map(({ body }) => body)).toString("latin1");
    for (const word of ["GET /api/user", "user_groups_by_provided_ids", "service.name", "user-groups"])
      expect(sent).toContain(word);
    expect(findSecrets(sent, currentSecrets())).toEqual([]);
  });

  test.each([
    ["silent", async () => (await startOtlpReceiver(false)).url],
    ["not there", async () => "http://127.0.0.1:1"],
  ])("does no harm when it fails, where the collector is %s", async (_, endpoint) => {
    const running = await startRunningApp({ OTEL_EXPORTER_OTLP_ENDPOINT: await endpoint() });
    for (let count = 0; count < 3; count += 1)
      expect(await getGroup(running, "acme")).toMatchObject({ status: 200 });
    // Ends within the test's time.
    await running.close();
  });
});
