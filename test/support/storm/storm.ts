import { randomInt } from "node:crypto";
import { expect } from "vitest";
import { repliesOf, retryUntilReply, type StormClient } from "./client.js";
import { StormGroup } from "./group.js";
import type { GroupFields } from "./state.js";

export interface Storm {
  readonly clients: readonly StormClient[];
  /** Prefix of the external IDs. */
  readonly prefix: string;
  /** Number of concurrent sequences. */
  readonly lanes: number;
  isOver(): boolean;
}

/** The schemas of a mapping. All refer to the same data source, so that a partial mapping can be detected. */
const SCHEMAS = ["billing", "sales", "support"];
const FACES = ["rest", "graphql"] as const;
const CREATE_DATA_SOURCE = `mutation ($input: CreateDataSourceInput!) {
  createDataSource(input: $input) { dataSource { providedId } userErrors { code } }
}`;

/** Runs clients that create, change and delete groups until the storm is over. @returns the groups in their expected state */
export async function runStorm(storm: Storm): Promise<StormGroup[]> {
  const groups: StormGroup[] = [];
  const lanes = Array.from({ length: storm.lanes }, async (_, lane) => {
    const client = storm.clients[lane % storm.clients.length];
    if (!client) throw new Error("There are no clients.");
    const dataSources: string[] = [];
    for (let count = 0; !storm.isOver(); count += 1) {
      // Tenants use the same IDs.
      const id = `${storm.prefix}-${Math.floor(lane / storm.clients.length)}-${count}`;
      if (count % 10 === 0) dataSources.push(await createDataSource(client, `${client.name}-${id}`));
      const story = count % 4 === 0 ? runSeveralGroups : runSingleGroup;
      groups.push(...(await story(client, id, dataSources)));
    }
  });
  await Promise.all(lanes);
  return groups;
}

async function runSingleGroup(client: StormClient, id: string, dataSources: readonly string[]) {
  const group = new StormGroup(client, id);
  await createGroup(group, dataSources);
  for (let count = randomInt(6); count > 0; count -= 1) await changeGroup(group, dataSources);
  if (randomInt(3) === 0) {
    await group.delete(oneOf(FACES));
    if (!group.exists && randomInt(2) === 0) await createGroup(group, dataSources);
  }
  return [group];
}

async function runSeveralGroups(client: StormClient, id: string, dataSources: readonly string[]) {
  const groups = Array.from({ length: 5 }, (_, index) => new StormGroup(client, `${id}.${index}`));
  await StormGroup.upsert(client, groups.slice(0, 3), fieldsFor(dataSources));
  await StormGroup.upsert(client, groups, fieldsFor(dataSources));
  const [first, second] = groups;
  await Promise.all([first?.rotate(1, oneOf(FACES)), second?.delete(oneOf(FACES))]);
  return groups;
}

async function createGroup(group: StormGroup, dataSources: readonly string[]): Promise<void> {
  const fields = fieldsFor(dataSources);
  const way = randomInt(4);
  if (way === 0) await group.create(fields, "createUserGroup");
  else if (way === 1) await group.create(fields, "getOrCreateUserGroup");
  else await group.getOrCreate(fields, 1 + randomInt(4));
  if (!group.exists) await createGroup(group, dataSources);
}

async function changeGroup(group: StormGroup, dataSources: readonly string[]): Promise<void> {
  const fields = fieldsFor(dataSources);
  const part = oneOf([{ name: fields.name }, { mapping: fields.mapping }, fields]);
  const way = randomInt(6);
  if (way < 3) await group.update(part, oneOf(FACES));
  else if (way === 3) await group.rotate(1 + randomInt(2), oneOf(FACES));
  else if (way === 4) await group.getOrCreate(fields, 1 + randomInt(3));
  else await group.check();
}

function fieldsFor(dataSources: readonly string[]): GroupFields {
  const mark = randomInt(1_000_000_000);
  const dataSource = oneOf(dataSources);
  return {
    name: `Name ${mark}`,
    properties: oneOf([null, { mark, list: [mark, "ü"] }]),
    mapping: oneOf([{}, Object.fromEntries(SCHEMAS.map((schema) => [schema, dataSource]))]),
  };
}

/** Creates a data source, with retries. */
async function createDataSource(client: StormClient, providedId: string): Promise<string> {
  const input = { providedId, name: providedId };
  const [first] = await repliesOf([client.graphql(CREATE_DATA_SOURCE, { input })]);
  const { createDataSource: payload } =
    first ?? (await retryUntilReply(() => client.graphql(CREATE_DATA_SOURCE, { input })));
  const isThere = !first && payload.userErrors[0]?.code === "DATA_SOURCE_EXISTS";
  if (!isThere) expect(payload).toEqual({ dataSource: { providedId }, userErrors: [] });
  return providedId;
}

function oneOf<T>(values: readonly T[]): T {
  const value = values[randomInt(values.length)];
  if (value === undefined) throw new Error("There is nothing to choose from.");
  return value;
}
