import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.js";
import { OperatorError } from "../../src/domain/shared/operator-error.js";
import { DEFAULT_RETENTION } from "../../src/domain/shared/retention.js";

const KEYS = [randomBytes(32), randomBytes(32)];
const DATABASE = "postgresql://user:pass-word@db.example:5432/groups?sslmode=verify-full";
const REDIS = "rediss://user:pass-word@redis.example:6380/3";

/** Settings that are not whole numbers, each with a value and its meaning. docs/settings.md has the defaults. */
const TEXTS: readonly (readonly [name: string, field: string, text: string, value: unknown])[] = [
  ["HOST", "host", "::1", "::1"],
  ["DATABASE_URL", "databaseUrl", DATABASE, DATABASE],
  ["DATA_DIR", "dataDir", "/var/lib/user-groups", "/var/lib/user-groups"],
  ["ENCRYPTION_KEYS", "encryptionKeys", ` ${KEYS.map((key) => key.toString("base64")).join(", ")}`, KEYS],
  ["REDIS_URL", "redisUrl", REDIS, REDIS],
  ["TRUSTED_PROXIES", "trustedProxies", "10.0.0.0/8, ::1", ["10.0.0.0/8", "::1"]],
  ["GRAPHQL_INTROSPECTION", "graphqlIntrospection", "false", false],
  ["API_DOCS", "apiDocs", "false", false],
  ["GRAPHQL_PLAYGROUND", "graphqlPlayground", "0", false],
  ["CONSOLE", "console", "false", false],
  ["PREVIEW_URL", "previewUrl", "http://[::1]:3000/a?b", "http://[::1]:3000/a?b"],
  [
    "FRAME_ORIGINS",
    "frameOrigins",
    "https://bi.example.com, http://127.0.0.1:3000",
    ["https://bi.example.com", "http://127.0.0.1:3000"],
  ],
  ["DOCS", "docs", "false", false],
  ["WEBHOOKS", "webhooks", "false", false],
  ["WEBHOOK_ALLOW_PRIVATE", "webhookAllowPrivate", "true", true],
  ["LOG_LEVEL", "logLevel", "silent", "silent"],
  ["METRICS_TOKEN", "metricsToken", "a-token-of-24-characters", "a-token-of-24-characters"],
];

describe("settings", () => {
  test.each(TEXTS)("%s is read as %s, and an empty variable is none", (name, field, text, value) => {
    expect(readConfig({ [name]: text })).toMatchObject({ [field]: value });
    expect(readConfig({ [name]: "" })).toEqual(readConfig({}));
    expect(readConfig({})).not.toMatchObject({ [field]: value });
  });

  test("have defaults for retention and traces, and unknown ones are ignored", () => {
    expect(readConfig({})).toMatchObject({ retention: DEFAULT_RETENTION, traces: undefined });
    expect(readConfig({ UNKNOWN: "x" })).toEqual(readConfig({}));
  });

  test.each([
    [{}, 0],
    [{ DATABASE_URL: DATABASE }, 5_000],
    [{ DATABASE_URL: DATABASE, SHUTDOWN_DELAY_MS: "0" }, 0],
    [{ SHUTDOWN_DELAY_MS: "7" }, 7],
  ])("%j leave the load balancer %i ms to notice a shutdown", (environment, delay) => {
    expect(readConfig(environment).shutdownDelayMs).toBe(delay);
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
      sampler: "parentbased_always_on",
      ratio: 1,
    });
    const traces = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.05",
    }).traces;
    expect(traces).toEqual({
      endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
      protocol: "http/json",
      sampler: "traceidratio",
      ratio: 0.05,
    });
  });

  test.each([
    ["METRICS_TOKEN", "short"],
    ["METRICS_TOKEN", "with a space in the middle"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "otel.example:4318"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_TRACES_SAMPLER", "often"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["DATABASE_URL", "localhost:5432/db"],
    ["DATABASE_URL", "mysql://user:secret@host/db"],
    ["DATABASE_URL", "postgres://user:secret@host:port/db"],
    ["RATE_LIMIT", "600/min"],
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
    ["PREVIEW_URL", "/console"],
    ["PREVIEW_URL", "javascript:alert(1)"],
    ["PREVIEW_URL", "http://example.com/preview"],
    ["PREVIEW_URL", "http://localhost.example.com/"],
    ["PREVIEW_URL", "https://example.com/#"],
    ["FRAME_ORIGINS", "*"],
    ["FRAME_ORIGINS", "https://*.example.com"],
    ["FRAME_ORIGINS", "https://a;script-src"],
    ["FRAME_ORIGINS", "https://bi.example.com/"],
    ["FRAME_ORIGINS", "http://bi.example.com"],
    ["FRAME_ORIGINS", "https://user@bi.example.com"],
    ["FRAME_ORIGINS", "data:"],
    ["GRAPHQL_INTROSPECTION", "yes"],
    ["GRAPHQL_PLAYGROUND", "TRUE"],
    ["LOG_LEVEL", "trace"],
    ["DATABASE_POOLED", "named"],
    ["ENCRYPTION_KEYS", "secret"],
    ["ENCRYPTION_KEYS", Buffer.alloc(31, 7).toString("base64")],
    ["ENCRYPTION_KEYS", `${Buffer.alloc(32, 7).toString("base64")},`],
  ])("reject %s=%s with the setting's name but not its value", (name, value) => {
    const message = messageFor({ [name]: value });
    expect(message).toMatch(new RegExp(`^Invalid settings: ${name} must be [^\n]+\\.$`));
    expect(message).not.toContain(value);
  });

  const OIDC = {
    OIDC_ISSUER: "https://login.example.com",
    OIDC_CLIENT_ID: "console",
    OIDC_CLIENT_SECRET: "a-secret",
    OIDC_ROLES: "groups:support=demo:embed, https://example.com/roles:Platform team=Acme: Europe:admin",
  };

  test("read the identity provider and its roles", () => {
    expect(readConfig(OIDC).identityProvider).toEqual({
      issuer: "https://login.example.com",
      clientId: "console",
      clientSecret: "a-secret",
      scope: "openid email profile",
      trustsEmail: false,
      roles: [
        { claim: "groups", value: "support", account: "demo", scope: "embed" },
        {
          claim: "https://example.com/roles",
          value: "Platform team",
          account: "Acme: Europe",
          scope: "admin",
        },
      ],
    });
    for (const issuer of ["http://127.0.0.1:9000/realms/a", "http://localhost:9000", "http://[::1]:9000"])
      expect(readConfig({ ...OIDC, OIDC_ISSUER: issuer }).identityProvider).toMatchObject({ issuer });
    expect(readConfig({}).identityProvider).toBeUndefined();
  });

  test.each(Object.keys(OIDC))("require %s with the others", (name) => {
    expect(messageFor({ ...OIDC, [name]: "" })).toBe(
      "Invalid settings: OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_ROLES must be set together.",
    );
  });

  test.each([
    ["OIDC_ISSUER", "http://login.example.com", "must be a URL such as https://login.example.com."],
    ["OIDC_ISSUER", "login.example.com", "must be a URL"],
    ["OIDC_ISSUER", "https://user:pw@login.example.com", "must be a URL"],
    ["OIDC_ISSUER", "https://login.example.com/?a=b", "must be a URL"],
    ["OIDC_SCOPE", "email profile", "must be scopes separated by a space, with openid"],
    ["OIDC_SCOPE", "openid,email", "must be scopes"],
    [
      "OIDC_ROLES",
      "groups:support",
      "must be roles such as groups:support=demo:embed, with the scope read, embed, write, admin; part 1 is not.",
    ],
    ["OIDC_ROLES", "groups:a=b=demo:read", /part 1 is not\.$/],
    ["OIDC_ROLES", "groups:a=demo:read,", /part 2 is not\.$/],
    ["OIDC_ROLES", "groups:a=demo:read, groups=demo:read,groups:b=demo:write", /part 2 is not\.$/],
    ["OIDC_ROLES", ":a=demo:read", /part 1 is not\.$/],
    ["OIDC_ROLES", "groups:=demo:read", /part 1 is not\.$/],
    ["OIDC_ROLES", "groups:a=read", /part 1 is not\.$/],
    ["OIDC_ROLES", "groups:a=:read", /part 1 is not\.$/],
    ["OIDC_ROLES", "groups:a=demo:", /part 1 is not\.$/],
    ["OIDC_ROLES", "groups:a=demo:owner", /part 1 is not\.$/],
    ["OIDC_ROLES", "groups:a=demo:read,groups:b=demo:Admin", /part 2 is not\.$/],
  ])("reject %s=%s: %s", (name, value, problem) => {
    const message = messageFor({ ...OIDC, [name]: value });
    expect(message).toMatch(`Invalid settings: ${name} must be`);
    expect(message).toMatch(problem);
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
