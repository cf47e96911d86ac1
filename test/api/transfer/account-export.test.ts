import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { ENVIRONMENTS } from "../../../src/domain/accounts/environment.js";
import { exportAccount } from "../../../src/services/transfer/account-data.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startService } from "../../support/service/test-service.js";
import { goodSite } from "../../support/site-configs/store.js";
import { createTenant } from "../../support/webhooks/tenant.js";

const service = await startService({ webhooks: { allowPrivate: true } });
const account = await service.createAccount();
let lines: ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

/** The tables of an account by file, with the columns that are not exported: secrets, their hashes, and values derived from others. */
const FILES: Readonly<Record<string, readonly [table: string, ...without: string[]]>> = {
  "api-keys": ["api_key", "hash", "sessions_valid_from"],
  "data-sources": ["data_source"],
  "user-groups": [
    "user_group",
    "token_key_id",
    "token_ciphertext",
    "token_lookup",
    "token_generation",
    "mapping_version",
    "previous_token_lookup",
    "previous_token_expires_at",
    "search_text",
    "search_hash",
    "mapped_version",
  ],
  "user-group-history": ["user_group_history"],
  mappings: ["mapping_entry"],
  "embed-session-counts": ["embed_session_count"],
  "request-counts": ["request_count"],
  "site-configs": ["site_config", "size"],
  "site-config-revisions": ["site_config_revision", "hash"],
  "webhook-endpoints": [
    "webhook_endpoint",
    "secret_key_id",
    "secret_ciphertext",
    "previous_secret_ciphertext",
    "previous_secret_expires_at",
    "consecutive_failures",
    "failing_since",
    "paused_until",
  ],
  "webhook-deliveries": ["webhook_delivery", "next_attempt_at", "queued_at"],
  "audit-log": ["audit_entry"],
  "property-schemas": ["property_schema"],
  "session-templates": ["session_template", "secret_key_id", "secret_ciphertext", "secret_lookup"],
  "bulk-changes": ["bulk_change", "fingerprint"],
};

/** Tables of an account that are not exported: imported tokens and keys are secrets, stored replies contain them, and the usage is derived from others. */
const NOT_EXPORTED = ["brought_token", "idempotent_request", "template_signing_key", "usage_day"];

beforeAll(async () => {
  for (const environment of ENVIRONMENTS)
    await fill(environment === "Customer" ? "customer" : "testing", environment);
  // Rows of another account, which the export must not contain.
  const other = await createTenant(service);
  await other.listen("http://127.0.0.1:1/other");
  await other.createGroup("foreign");
  await service.services.usage.flush();
  const { accountId: id, name } = account;
  const files = exportAccount(service.database, { id, name, createdAt: new Date() });
  const read = new Map<string, Readonly<Record<string, unknown>>[]>();
  for (const { name, pages } of files) {
    const rows: Readonly<Record<string, unknown>>[] = [];
    for await (const page of pages) rows.push(...page.map((line) => JSON.parse(line)));
    read.set(name, rows);
  }
  lines = read;
});

/** Creates a row of every table in an environment. */
async function fill(mark: string, environment: (typeof ENVIRONMENTS)[number]): Promise<void> {
  const { secret } = await account.createKey({ environment });
  const query = `mutation ($id: String!, $change: ID!, $secret: String!, $document: JSON!) {
    createWebhookEndpoint(input: { name: $id, url: "https://93.184.216.34/hook" }) { userErrors { code } }
    createUserGroup(input: { providedId: $id, name: "G", mapping: [{ schemaId: "s", dataSource: "sales" }] }) { userErrors { code } }
    createEmbedSession(input: { by: { providedId: $id } }) { userErrors { code } }
    updateUserGroup(input: { by: { providedId: $id }, name: "New" }) { userErrors { code } }
    updateUserGroups(input: { userGroups: [{ providedId: $id }], propertiesPatch: { plan: "team" }, bulkChangeId: $change }) { userErrors { code } }
    putSiteConfig(input: { site: $id, source: { document: $document } }) { userErrors { code } }
    restoreSiteConfig(input: { site: $id, revision: 1 }) { userErrors { code } }
    createSessionTemplate(input: { name: $id, algorithm: HS256, secret: $secret, claims: {} }) { userErrors { code } }
    setPropertySchema(input: { schema: { type: "object" }, mode: WARN }) { userErrors { code } }
  }`;
  const { body } = await callRest(`${service.url}/graphql`, "POST", secret, {
    query,
    variables: { id: mark, change: randomUUID(), secret: randomUUID(), document: goodSite },
  });
  for (const payload of Object.values<{ readonly userErrors: unknown }>(Object(body).data)) {
    expect(payload.userErrors).toEqual([]);
  }
}

test("every table with an account is exported, or listed as not", async () => {
  const tables =
    await service.query(`SELECT relname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE attname = 'account_id' AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1`);
  const listed = [...Object.values(FILES).map(([table]) => table), ...NOT_EXPORTED];
  expect(tables.map(({ name }: { name: string }) => name)).toEqual(listed.toSorted());
  expect([...lines.keys()]).toEqual(["account", ...Object.keys(FILES)]);
});

describe.each(Object.entries(FILES))("%s", (file, [table, ...without]) => {
  test("has every column but those listed", async () => {
    const columns = await service.query(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1",
      [table],
    );
    const names = columns.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(without));
    const exported = names.filter((name: string) => !["account_id", ...without].includes(name));
    const [first = {}] = lines.get(file) ?? [];
    expect(Object.keys(first).toSorted()).toEqual(exported.toSorted());
  });

  test("has every row of both environments, and none of another account", async () => {
    const rows = await service.query(
      `SELECT environment::text AS environment, count(*)::integer AS n FROM ${table}
        WHERE account_id = $1 GROUP BY environment ORDER BY 1`,
      [account.accountId],
    );
    const counts = ENVIRONMENTS.map((environment) => ({
      environment,
      n: lines.get(file)?.filter((row) => row["environment"] === environment).length,
    }));
    expect(counts).toEqual(rows);
    for (const { n } of rows) expect(n).toBeGreaterThan(0);
  });
});
