import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.js";
import { settings } from "../../src/config/settings.js";

/** Rows of docs/settings.md whose value is a whole number: name, default, minimum and maximum. */
const ROW = /^\| `(\w+)` \| `(\d+)` \| (\d+)–(\d+) \|/gm;
const DOCUMENTED = readFileSync(new URL("../../docs/settings.md", import.meta.url), "utf8");
const ROWS = [...DOCUMENTED.matchAll(ROW)].map(
  ([, name = "", byDefault, min, max]) => [name, Number(byDefault), Number(min), Number(max)] as const,
);

/** Where consumers read settings, besides the setting's own name in camel case. */
const GROUPED: Readonly<Record<string, string>> = {
  EVENT_STREAMS_PER_PROCESS: "eventStreams.perProcess",
  MAX_CONNECTIONS: "connectionLimits.maxConnections",
  REQUEST_RECEIVE_TIMEOUT_MS: "connectionLimits.receiveTimeoutMs",
  STALLED_CONNECTION_TIMEOUT_MS: "connectionLimits.stallTimeoutMs",
  GRAPHQL_MAX_COST: "graphqlLimits.cost",
  WEBHOOK_CONCURRENCY: "webhookSlots.total",
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: "webhookSlots.perEndpoint",
  WEBHOOK_PENDING_MAX_DAYS: "retention.pendingWebhookDays",
  RETAIN_AUDIT_DAYS: "retention.auditDays",
  RETAIN_GROUP_HISTORY_DAYS: "retention.groupHistoryDays",
  RETAIN_GROUP_VERSIONS: "retention.groupVersions",
  RETAIN_DELETED_GROUP_NAME_DAYS: "retention.deletedGroupNameDays",
  RETAIN_WEBHOOK_DELIVERY_DAYS: "retention.webhookDeliveryDays",
  RETAIN_API_KEY_DAYS: "retention.apiKeyDays",
  RETAIN_SITE_CONFIG_REVISIONS: "retention.siteConfigRevisions",
  RETAIN_DELETED_SITE_CONFIG_DAYS: "retention.deletedSiteConfigDays",
};

/** Shares of other limits. */
const DERIVED = [
  "connectionLimits.maxConnectionsPerAddress",
  "eventStreams.perToken",
  "eventStreams.perKey",
  "eventStreams.perAddress",
  "webhookSlots.perAccount",
];

test("the documentation has a row for every setting with a number as default", () => {
  const numeric = Object.entries(settings.shape).flatMap(([name, schema]) =>
    typeof schema.safeParse(undefined).data === "number" ? [name] : [],
  );
  expect(numeric.toSorted()).toEqual([...ROWS.map(([name]) => name), "OTEL_TRACES_SAMPLER_ARG"].toSorted());
});

test("settings whose 0 means forever are those that say so", () => {
  const forever = ROWS.filter(([name, , min]) => name.startsWith("RETAIN_") && min === 0)
    .map(([name]) => name)
    .filter((name) => name !== "RETAIN_GROUP_HISTORY_DAYS");
  expect(forever).toEqual([
    "RETAIN_AUDIT_DAYS",
    "RETAIN_DELETED_GROUP_NAME_DAYS",
    "RETAIN_GROUP_VERSIONS",
    "RETAIN_API_KEY_DAYS",
    "RETAIN_SITE_CONFIG_REVISIONS",
    "RETAIN_DELETED_SITE_CONFIG_DAYS",
  ]);
});

describe.each(ROWS)("%s", (name, byDefault, min, max) => {
  test("accepts its documented bounds and nothing beyond", () => {
    for (const value of [min, max]) expect(() => readConfig({ [name]: String(value) })).not.toThrow();
    for (const value of [min - 1, max + 1, min + 0.5, `${max}x`, "1e2", "0x10", " 50"]) {
      expect(() => readConfig({ [name]: String(value) }), String(value)).toThrow(`${name} must be`);
    }
  });

  test("has its documented default, and reaches its consumer and no other", () => {
    const before = readConfig({});
    const value = byDefault === max ? min : max;
    const changed = valuesOf(readConfig({ [name]: String(value) })).filter(
      ([path, each]) =>
        typeof each === "number" &&
        !DERIVED.includes(path) &&
        !valuesOf(before).some(([p, v]) => p === path && v === each),
    );
    const own = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const paths = [own, ...(GROUPED[name] === undefined ? [] : [GROUPED[name]])];
    expect(changed.toSorted()).toEqual(paths.map((path) => [path, value]).toSorted());
    expect(
      valuesOf(before)
        .filter(([path]) => paths.includes(path))
        .map(([, each]) => each),
    ).toEqual(paths.map(() => byDefault));
  });
});

test("limits of one client are shares of the process's", () => {
  const settings = { MAX_CONNECTIONS: "10", EVENT_STREAMS_PER_PROCESS: "10", WEBHOOK_CONCURRENCY: "1" };
  expect(readConfig(settings)).toMatchObject({
    connectionLimits: { maxConnectionsPerAddress: 3 },
    eventStreams: { perToken: 1, perKey: 2, perAddress: 4, perProcess: 10 },
    webhookSlots: { total: 1, perAccount: 1 },
  });
});

test.each(["1", "29"])(
  "RETAIN_AUDIT_DAYS does not accept %s, which the database could not apply",
  (value) => {
    expect(() => readConfig({ RETAIN_AUDIT_DAYS: value })).toThrow("RETAIN_AUDIT_DAYS must be 0 or");
    expect(readConfig({ RETAIN_AUDIT_DAYS: "30" }).retention.auditDays).toBe(30);
  },
);

test.each(["1", "99"])("RETAIN_GROUP_VERSIONS does not accept %s, for which there is no index", (value) => {
  expect(() => readConfig({ RETAIN_GROUP_VERSIONS: value })).toThrow("RETAIN_GROUP_VERSIONS must be 0 or");
  expect(readConfig({ RETAIN_GROUP_VERSIONS: "100" }).retention.groupVersions).toBe(100);
});

/** The values of an object by path. */
function valuesOf(value: unknown, path = ""): (readonly [path: string, value: unknown])[] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, each]) =>
    valuesOf(each, path === "" ? name : `${path}.${name}`),
  );
}
