import { expect, test } from "vitest";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import { scrape, sumOf } from "../../support/service/metric-samples.js";
import { startRunningApp } from "../../support/service/running-app.js";

const LAST_ID = 2 ** 31 - 1;

test("used-up IDs refuse new rows only, and a metric shows how many are used", async () => {
  const { url, key, query } = await startRunningApp();
  const create = (id: string) => callRest(`${url}/api/user`, "GET", key, { user_group_id: id, name: "Acme" });
  const share = async (table: string) => sumOf(await scrape(url), "user_groups_ids_used_ratio", { table });

  const message = "All IDs are used: nothing new can be stored.";
  await query(`SELECT setval('user_group_team_id', ${LAST_ID})`);
  expect(await share("user_group")).toBe(1);
  expect(await share("api_key")).toBe(1 / LAST_ID);
  expect(await share("webhook_endpoint")).toBeUndefined();
  expectError(await create("acme"), 503, { code: "unavailable", message });

  await query(`SELECT setval('user_group_team_id', ${2 ** 30})`);
  expect((await create("acme")).status).toBe(200);
  expect(await share("user_group")).toBeCloseTo(0.5);

  await query(`SELECT setval('data_source_id_seq', ${LAST_ID})`);
  const mutation = `mutation { createDataSource(input: { providedId: "x", name: "X" }) { userErrors { code } } }`;
  const { body } = await callGraphql(url, key, mutation);
  expect(body).toMatchObject({ errors: [{ message, extensions: { code: "UNAVAILABLE" } }] });
  expect((await callRest(`${url}/api/user`, "PUT", key, { user_group_id: "acme", name: "A" })).status).toBe(
    200,
  );
});
