import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.js";
import { OperatorError } from "../../src/domain/shared/operator-error.js";
import { DEFAULT_RETENTION } from "../../src/domain/shared/retention.js";

const defaults = {
  host: "127.0.0.1",
  port: 4000,
  databaseUrl: undefined,
  dataDir: ".data",
  encryptionKeys: undefined,
  databasePoolSize: 10,
  databaseConnectTimeoutMs: 5000,
  databaseStatementTimeoutMs: 10_000,
  tokenGraceSeconds: 0,
  rateLimit: 0,
  authFailureLimit: 1000,
  redisUrl: undefined,
  trustedProxies: [],
  graphqlIntrospection: true,
  apiDocs: true,
  graphqlPlayground: true,
  console: true,
  docs: true,
  webhooks: true,
  webhookAllowPrivate: false,
  logLevel: "info",
  retention: DEFAULT_RETENTION,
  metricsToken: undefined,
  traces: undefined,
};

describe("settings", () => {
  test("all have a default, which also replaces an empty variable", () => {
    expect(readConfig({})).toMatchObject(defaults);
    const empty = { PORT: "", DATABASE_URL: "", DATA_DIR: "", ENCRYPTION_KEYS: "", LOG_LEVEL: "", HOST: "" };
    expect(readConfig({ ...empty, GRAPHQL_PLAYGROUND: "", UNKNOWN: "x" })).toEqual(readConfig({}));
  });

  test("are read from the environment", () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const environment = {
      HOST: "::1",
      PORT: "0",
      DATABASE_URL: "postgresql://user:pass-word@db.example:5432/groups?sslmode=verify-full",
      DATA_DIR: "/var/lib/user-groups",
      ENCRYPTION_KEYS: ` ${first.toString("base64")}, ${second.toString("base64")}`,
      DATABASE_POOL_SIZE: "25",
      DATABASE_CONNECT_TIMEOUT_MS: "100",
      DATABASE_STATEMENT_TIMEOUT_MS: "600000",
      TOKEN_GRACE_SECONDS: "3600",
      RATE_LIMIT: "600",
      AUTH_FAILURE_LIMIT: "0",
      REDIS_URL: "rediss://user:pass-word@redis.example:6380/3",
      TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1,2001:db8::/32,::1",
      GRAPHQL_INTROSPECTION: "false",
      API_DOCS: "false",
      GRAPHQL_PLAYGROUND: "0",
      CONSOLE: "false",
      DOCS: "false",
      WEBHOOKS: "false",
      WEBHOOK_ALLOW_PRIVATE: "true",
      LOG_LEVEL: "silent",
    };
    expect(readConfig(environment)).toMatchObject({
      host: "::1",
      port: 0,
      databaseUrl: environment.DATABASE_URL,
      dataDir: "/var/lib/user-groups",
      encryptionKeys: [first, second],
      databasePoolSize: 25,
      databaseConnectTimeoutMs: 100,
      databaseStatementTimeoutMs: 600_000,
      tokenGraceSeconds: 3600,
      rateLimit: 600,
      authFailureLimit: 0,
      redisUrl: environment.REDIS_URL,
      trustedProxies: ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::1"],
      graphqlIntrospection: false,
      apiDocs: false,
      graphqlPlayground: false,
      console: false,
      docs: false,
      webhooks: false,
      webhookAllowPrivate: true,
      logLevel: "silent",
    });
  });

  test.each([
    "postgres://localhost/db",
    "postgres://user@host",
    "postgres://user:pw@/db?host=/var/run/postgresql&port=5433",
    "postgres://user:pw@%2Fvar%2Frun%2Fpostgresql/db",
    "postgres:///db?host=/tmp&user=me",
  ])("accept the DATABASE_URL %s", (url) => {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test("use OpenTelemetry's variables for traces", () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = "https://collector.example:4318";
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).traces).toEqual({
      endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
      protocol: "http/protobuf",
      headers: {},
      serviceName: "user-groups",
      resource: {},
      sampler: "parentbased_always_on",
      ratio: 1,
    });
    const traces = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20key, x-tenant=b=c",
      OTEL_SERVICE_NAME: "groups",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=production",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.05",
    }).traces;
    expect(traces).toEqual({
      endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
      protocol: "http/json",
      headers: { "api-key": "a key", "x-tenant": "b=c" },
      serviceName: "groups",
      resource: { "deployment.environment.name": "production" },
      sampler: "traceidratio",
      ratio: 0.05,
    });
  });

  test.each([
    ["METRICS_TOKEN", "short"],
    ["METRICS_TOKEN", "with a space in the middle"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "otel.example:4318"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a-secret-without-a-name"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "key=%zz"],
    ["OTEL_TRACES_SAMPLER", "often"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["PORT", "0x50"],
    ["PORT", "4000 "],
    ["DATABASE_URL", "localhost:5432/db"],
    ["DATABASE_URL", "mysql://user:secret@host/db"],
    ["DATABASE_URL", "postgres://user:secret@host:port/db"],
    ["DATABASE_POOL_SIZE", "many"],
    ["DATABASE_CONNECT_TIMEOUT_MS", "99"],
    ["DATABASE_STATEMENT_TIMEOUT_MS", "600001"],
    ["TOKEN_GRACE_SECONDS", "2592001"],
    ["RATE_LIMIT", "-1"],
    ["RATE_LIMIT", "600/min"],
    ["AUTH_FAILURE_LIMIT", "1e3"],
    ["REDIS_URL", "localhost:6379"],
    ["REDIS_URL", "http://localhost:6379"],
    ["REDIS_URL", "redis://localhost/zero"],
    ["REDIS_URL", "redis://user:secret@host:port"],
    ["TRUSTED_PROXIES", "proxy.example"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["TRUSTED_PROXIES", "2001:db8::/129"],
    ["TRUSTED_PROXIES", "10.0.0.1,,10.0.0.2"],
    ["TRUSTED_PROXIES", "10.0.0.0/255.0.0.0"],
    ["TRUSTED_PROXIES", "/24"],
    ["TRUSTED_PROXIES", "0.0.0.0/0"],
    ["TRUSTED_PROXIES", "fe80::1%eth0"],
    ["SECURITY_CONTACT", "someone@example.com"],
    ["SECURITY_CONTACT", "http://example.com/security"],
    ["SECURITY_CONTACT", "https://a\nPolicy: b"],
    ["GRAPHQL_INTROSPECTION", "yes"],
    ["GRAPHQL_PLAYGROUND", "TRUE"],
    ["LOG_LEVEL", "trace"],
    ["RETAIN_AUDIT_DAYS", "29"],
    ["RETAIN_AUDIT_DAYS", "36501"],
    ["RETAIN_WEBHOOK_DELIVERY_DAYS", "401"],
    ["ENCRYPTION_KEYS", "secret"],
    ["ENCRYPTION_KEYS", Buffer.alloc(31, 7).toString("base64")],
    ["ENCRYPTION_KEYS", `${Buffer.alloc(32, 7).toString("base64")},`],
  ])("reject %s=%s with the setting's name but not its value", (name, value) => {
    const message = messageFor({ [name]: value });
    expect(message).toMatch(new RegExp(`^Invalid settings: ${name} must be [^\n]+\\.$`));
    expect(message).not.toContain(value);
  });

  test("report all invalid settings at once", () => {
    expect(messageFor({ PORT: "x", DATABASE_POOL_SIZE: "x", LOG_LEVEL: "x" })).toBe(
      "Invalid settings: PORT must be a whole number from 0 to 65535; DATABASE_POOL_SIZE must be a whole number from 1 to 1000; LOG_LEVEL must be one of debug, info, warn, error, silent.",
    );
  });
});

function messageFor(environment: Readonly<Record<string, string>>): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
  throw new Error("These settings were taken.");
}
