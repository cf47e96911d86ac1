import { expect } from "vitest";
import type { Data } from "../graphql/graphql-fixture.js";
import { LIST } from "../graphql/user-group-operations.js";
import type { StormClient } from "./client.js";
import type { StormGroup } from "./group.js";
import { fieldsOfGraphql } from "./state.js";

const AT_ONCE = 50;

/** Runs a statement as a superuser. */
export type Query = (text: string) => Promise<Data[]>;

/** Checks that every group is as its caller knows it, and readable with its latest token only. */
export async function checkGroups(client: StormClient, groups: readonly StormGroup[]): Promise<void> {
  for (const some of chunks(groups)) {
    const providedIds = some.map(({ providedId }) => providedId);
    const { userGroups } = await client.graphql(LIST, { providedIds, first: AT_ONCE });
    const found = new Map(userGroups.nodes.map((node: Data) => [node.providedId, fieldsOfGraphql(node)]));
    expect(found.size).toBe(userGroups.nodes.length);
    for (const group of some) group.mustBe(found.get(group.providedId) ?? null);
  }
  for (const tokens of chunks(groups.flatMap(({ formerTokens }) => formerTokens))) {
    const fields = tokens.map((token, index) => `t${index}: userGroup(by: { token: "${token}" }) { id }`);
    const opened = await client.graphql(`{ ${fields.join(" ")} }`, {});
    expect(Object.values(opened).filter((group) => group !== null)).toEqual([]);
  }
}

/** Checks that the audit log has each change of each group once, and that the outbox has the events of a tenant's endpoint. */
export async function checkLogs(query: Query): Promise<void> {
  // Every version is a change, even if its reply was lost.
  expect(
    await query(`
      SELECT id, user_group.version, entries FROM user_group FULL JOIN (
        SELECT account_id, environment, subject_id AS id, json_agg(action || ' ' || audit_entry.version ORDER BY audit_entry.id) AS entries,
          min(action) FILTER (WHERE audit_entry.version = 1) AS first, max(audit_entry.version) AS last,
          count(*) FILTER (WHERE action <> 'user_group.deleted') AS changes,
          count(DISTINCT audit_entry.version) AS versions,
          count(*) FILTER (WHERE action = 'user_group.created') AS creations,
          count(*) FILTER (WHERE action = 'user_group.deleted') AS deletions
        FROM audit_entry WHERE action LIKE 'user_group.%' GROUP BY account_id, environment, subject_id
      ) AS log USING (account_id, environment, id)
      WHERE first IS DISTINCT FROM 'user_group.created' OR creations <> 1 OR changes <> last OR versions <> last
        OR deletions <> CASE WHEN token_lookup IS NULL THEN 1 ELSE 0 END OR user_group.version <> last LIMIT 10`),
  ).toEqual([]);
  expect(
    await query(`
      SELECT action, log.version, event FROM (
        SELECT action, split_part(action, '.', 1) || ':' || subject_id AS subject, version FROM audit_entry
        JOIN webhook_endpoint AS endpoint ON endpoint.account_id = audit_entry.account_id
          AND endpoint.environment = audit_entry.environment::text
        WHERE action LIKE 'user_group.%'
      ) AS log
      FULL JOIN (
        SELECT event, subject, (payload #>> '{data,userGroup,version}')::integer AS version, count(*) AS times
        FROM webhook_delivery GROUP BY 1, 2, 3
      ) AS outbox ON event = action AND outbox.subject = log.subject AND outbox.version = log.version
      WHERE event IS NULL OR action IS NULL OR times <> 1 LIMIT 10`),
  ).toEqual([]);
}

/** Checks that each mapping is complete and consistent. */
export async function checkMappings(query: Query): Promise<void> {
  expect(
    await query(`SELECT user_group_id, count(*) FROM mapping_entry GROUP BY account_id, environment, user_group_id
      HAVING count(*) <> 3 OR count(DISTINCT data_source_id) <> 1 LIMIT 10`),
  ).toEqual([]);
}

function chunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, index) =>
    items.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );
}
