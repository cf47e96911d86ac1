import { isDeepStrictEqual } from "node:util";
import type { Data } from "../graphql/graphql-fixture.js";
import { FIELDS, type GroupState, graphqlView } from "./group-state.js";
import type { LoadGroup } from "./load-group.js";
import type { SteadyLoad } from "./steady-load.js";

const PAGE = `query ($after: String) {
  userGroups(first: 100, after: $after) { nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } }
}`;

/** Runs a statement as a superuser. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<Data[]>;

/**
 * Compares the database with the replies after a load: acknowledged writes exist, other writes exist completely or not at all, and
 * nothing was applied twice. Violations are added to the journal.
 */
export async function verifyLoad(load: SteadyLoad, query: Query): Promise<void> {
  for (const [key, groups] of load.groups) {
    const stored = await readGroups(load, key);
    for (const group of groups) verifyGroup(load, group, stored);
    const known = new Set(groups.map(({ providedId }) => providedId));
    const strangers = [...stored.keys()].filter((id) => id.startsWith(load.prefix) && !known.has(id));
    load.journal.expect("groups that nobody asked for", strangers, []);
  }
  await verifyDataSources(load, query);
  await verifyAuditLog(load, query);
}

async function readGroups({ journal }: SteadyLoad, key: string): Promise<Map<string, Data>> {
  const stored = new Map<string, Data>();
  for (let after: string | null = null; ; ) {
    const { data }: Data = await journal.graphql(key, PAGE, { after });
    const { nodes = [], pageInfo = {} } = data?.userGroups ?? {};
    for (const node of nodes) stored.set(node.providedId, node);
    if (!pageInfo.hasNextPage) return stored;
    after = pageInfo.endCursor;
  }
}

function verifyGroup({ journal }: SteadyLoad, group: LoadGroup, stored: ReadonlyMap<string, Data>): void {
  const found = stored.get(group.providedId) ?? null;
  const which = indexOfState(group, found);
  if (which < 0) journal.expect(`${group.providedId} in the end`, found, group.mayBe.map(graphqlView));
  const { partner } = group;
  if (!partner || partner.mayBe.length === 1 || group.mayBe.length === 1) return;
  const both = indexOfState(partner, stored.get(partner.providedId) ?? null);
  journal.expect(`${group.providedId} and ${partner.providedId}, in one transaction`, both, which);
}

/** The index of the group's state among its possible ones; -1 for none. */
function indexOfState({ mayBe }: LoadGroup, found: Data): number {
  const tokens = mayBe.map((state) => state?.token);
  const fits = (state: GroupState | null) => {
    if (!state || !found || state.token !== null) return isDeepStrictEqual(found, graphqlView(state));
    const isNew = typeof found.token === "string" && !tokens.includes(found.token);
    return isNew && isDeepStrictEqual(found, graphqlView({ ...state, token: found.token }));
  };
  return mayBe.findIndex(fits);
}

async function verifyDataSources({ journal, dataSources, prefix }: SteadyLoad, query: Query): Promise<void> {
  const text = "SELECT provided_id AS id FROM data_source WHERE starts_with(provided_id, $1)";
  const stored = (await query(text, [prefix])).map(({ id }) => id);
  const lost = dataSources.made.filter((id) => !stored.includes(id));
  journal.expect("data sources that are lost", lost, []);
  const known = new Set([...dataSources.made, ...dataSources.unknown]);
  const strangers = stored.filter((id) => !known.has(id));
  journal.expect("data sources that nobody made", strangers, []);
}

async function verifyAuditLog({ journal, prefix }: SteadyLoad, query: Query): Promise<void> {
  const text = `SELECT request_id || ' ' || subject_name AS write FROM audit_entry
    WHERE starts_with(subject_name, $1) AND starts_with(action, 'user_group.')`;
  const entries = (await query(text, [prefix])).map(({ write }) => write);
  const once = new Set(entries);
  journal.expect("writes that happened twice", entries.length - once.size, 0);
  const { writes, unknownWrites } = journal;
  const acknowledged = [...writes].filter(([, happened]) => happened).map(([write]) => write);
  const lost = acknowledged.filter((write) => !once.has(write));
  journal.expect("acknowledged writes that never happened", lost, []);
  const strangers = entries.filter((write) => writes.get(write) !== true && !unknownWrites.has(write));
  journal.expect("writes that nobody asked for", strangers, []);
}
