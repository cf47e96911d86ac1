import { randomUUID } from "node:crypto";
import type { Reply, SoakClient } from "./client.js";

/** A caller with the groups that it created; no other caller changes them. */
export interface Caller {
  readonly client: SoakClient;
  readonly groups: { readonly id: string; token: string }[];
  /** Prefix of its groups' external IDs. */
  readonly name: string;
  /** The number of addresses with failed authentications. */
  readonly addresses: number;
}

/** An operation that callers run. */
export interface Operation {
  readonly name: string;
  /** Its relative frequency. */
  readonly weight: number;
  /** @returns the outcome: the status, or what was wrong with the reply */
  readonly run: (caller: Caller) => Promise<string>;
}

const BULK = 20;
const FIELDS = "{ id providedId name version properties mapping { schemaId dataSource { providedId } } }";

export const OPERATIONS: readonly Operation[] = [
  operation("REST get", 30, async (caller) => {
    const group = await anyGroup(caller);
    const reply = await caller.client.rest("GET", { user_group_id: group.id });
    return outcome(reply, reply.body.user_group?.token === group.token);
  }),
  operation("REST get or create, new", 7, async (caller) => (await create(caller)).outcome),
  operation("REST update", 8, async (caller) => {
    const { id } = await anyGroup(caller);
    const name = `Renamed ${randomUUID()}`;
    const mapping = Math.random() < 0.5 ? {} : { mapping: { sales: "sales" } };
    const reply = await caller.client.rest("PUT", { user_group_id: id, name, ...mapping });
    return outcome(reply, reply.body.user_group?.name === name);
  }),
  operation("REST rotate", 5, async (caller) => {
    const group = await anyGroup(caller);
    const reply = await caller.client.rest("POST", { current_token: group.token });
    const token = reply.body.user_group?.token;
    const isNew = typeof token === "string" && token !== group.token;
    if (isNew) group.token = token;
    return outcome(reply, isNew);
  }),
  operation("REST delete", 7, async (caller) => {
    await anyGroup(caller);
    const [group] = caller.groups.splice(0, 1);
    return outcome(await caller.client.rest("DELETE", { current_token: group?.token }));
  }),
  operation("GraphQL one group", 15, async (caller) => {
    const { id } = await anyGroup(caller);
    const query = `query ($by: UserGroupBy!) { userGroup(by: $by) ${FIELDS} }`;
    const reply = await caller.client.graphql(query, { by: { providedId: id } });
    return outcome(reply, reply.body.data?.userGroup?.providedId === id);
  }),
  operation("GraphQL list", 5, async ({ client }) => {
    const query = `{ userGroups(first: 20, orderBy: { field: NAME }) { totalCount nodes ${FIELDS} } }`;
    const reply = await client.graphql(query);
    return outcome(reply, Array.isArray(reply.body.data?.userGroups.nodes));
  }),
  operation(`GraphQL upsert of ${BULK}`, 2, async ({ client, name }) => {
    const userGroups = Array.from({ length: BULK }, (_, index) => ({
      providedId: `${name} bulk ${index}`,
      name: `Bulk ${randomUUID()}`,
    }));
    const query = `mutation ($input: UpsertUserGroupsInput!) { upsertUserGroups(input: $input) { userErrors { message } } }`;
    const reply = await client.graphql(query, { input: { userGroups } });
    return outcome(reply, reply.body.data?.upsertUserGroups.userErrors.length === 0);
  }),
  operation("GraphQL subscription, closed immediately", 2, async (caller) =>
    String(await caller.client.follow((await anyGroup(caller)).id, false)),
  ),
  operation("GraphQL subscription, closed before the reply", 1, async (caller) =>
    String((await caller.client.abandon((await anyGroup(caller)).id)) ?? "left"),
  ),
  operation("GraphQL subscription, closed after an event", 3, async (caller) => {
    const { id } = await anyGroup(caller);
    const rename = () => caller.client.rest("PUT", { user_group_id: id, name: `Renamed ${randomUUID()}` });
    return String((await caller.client.follow(id, rename)) ?? "no event");
  }),
  operation("failed authentication", 5, async ({ client, addresses }) => {
    const address = Math.floor(Math.random() * addresses);
    const headers = {
      authorization: `Token ugk_live_${"0".repeat(55)}`,
      "x-forwarded-for": `10.0.${address >> 8}.${address & 255}`,
    };
    return outcome(await client.rest("GET", { user_group_id: "x" }, headers));
  }),
  operation(
    "broken request",
    10,
    async ({ client }) => (await BROKEN[Math.floor(Math.random() * BROKEN.length)]?.(client)) ?? "",
  ),
];

/** Each gets an error reply, or disconnects by itself. */
const BROKEN: readonly ((client: SoakClient) => Promise<string>)[] = [
  async (client) => outcome(await client.rest("GET", '{"user_group_id": ')),
  async (client) => outcome(await client.rest("PUT", { user_group_id: "\u0000" })),
  async (client) => outcome(await client.rest("PUT", "x".repeat(1_100_000))),
  async (client) => outcome(await client.rest("POST", "a", { "content-type": "text/plain" })),
  async (client) => outcome(await client.rest("DELETE", { current_token: "ugt_none" })),
  async (client) => outcome(await client.graphql(`{ a${"{ a".repeat(200)}${"}".repeat(200)} }`)),
  async (client) => String(await client.raw("NOTHING THAT IS HTTP\r\n\r\n", true)),
  async (client) => String(await client.raw("GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n", true)),
  async (client) =>
    String((await client.raw("POST /api/user HTTP/1.1\r\nhost: x\r\ncontent-", false)) ?? "left"),
  async (client) =>
    String(
      (await client.raw("POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{", false)) ?? "left",
    ),
];

function operation(name: string, weight: number, run: Operation["run"]): Operation {
  return { name, weight, run };
}

async function anyGroup(caller: Caller): Promise<Caller["groups"][number]> {
  const { groups } = caller;
  const group = groups[Math.floor(Math.random() * groups.length)];
  return group ?? (await create(caller)).group;
}

async function create({ client, groups, name }: Caller) {
  const id = `${name} ${randomUUID()}`;
  const reply = await client.rest("GET", { user_group_id: id, name: "New", properties: { region: "EU" } });
  const group = { id, token: String(reply.body.user_group?.token) };
  groups.push(group);
  return { group, outcome: outcome(reply, reply.body.new_user_group === true) };
}

function outcome({ status, body }: Reply, isRight = true): string {
  if (status !== 200) return String(status);
  const [error] = body.errors ?? [];
  if (error) return `200 ${error.extensions?.code}`;
  return isRight ? "200" : "wrong answer";
}
