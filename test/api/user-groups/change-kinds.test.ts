import { beforeAll, expect, test } from "vitest";
import { type EventStream, openEventStream } from "../../support/graphql/event-stream-client.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { schema } from "../../support/graphql/list-cases.js";
import { createUserGroup, entry, OTHER_MUTATIONS } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();

/** The group that a row changes; for creations, the ID of a group that does not exist. */
interface Target {
  readonly providedId: string;
  readonly token: string;
}

interface Row {
  /** The event of the change. */
  readonly kind: "CREATED" | "UPDATED" | "TOKEN_ROTATED" | "DELETED";
  readonly change: (target: Target) => Promise<void>;
}

function mutate(kind: Row["kind"], name: string, inputOf: (target: Target) => object): Row {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { userErrors { code message } } }`;
  return {
    kind,
    async change(target) {
      const data = await graphql().run(query, { input: inputOf(target) });
      expect(data[name].userErrors).toEqual([]);
    },
  };
}

function rest(kind: Row["kind"], method: string, bodyOf: (target: Target) => object): Row {
  return {
    kind,
    async change(target) {
      const { service, keys } = graphql();
      const reply = await callRest(`${service.url}/api/user`, method, keys.admin, bodyOf(target));
      expect(reply).toMatchObject({ status: 200 });
    },
  };
}

const by = ({ providedId }: Target) => ({ by: { providedId } });
const BULK_CHANGE = crypto.randomUUID();
const MAPPED = [entry("s", "sales")];

/** Every call that changes groups (unchanged-writes.test.ts has those that change nothing), with the kind of event that subscribers get and the action in the audit log. */
const ROWS: Readonly<Record<string, Row>> = {
  "GET creates": rest("CREATED", "GET", ({ providedId }) => ({ user_group_id: providedId, name: "New" })),
  PUT: rest("UPDATED", "PUT", ({ providedId }) => ({ user_group_id: providedId, name: "New" })),
  "PUT changes the mapping": rest("UPDATED", "PUT", ({ providedId }) => ({
    user_group_id: providedId,
    mapping: { s: "support" },
  })),
  POST: rest("TOKEN_ROTATED", "POST", ({ token }) => ({ current_token: token })),
  DELETE: rest("DELETED", "DELETE", ({ token }) => ({ current_token: token })),
  "DELETE with guards": rest("DELETED", "DELETE", ({ token }) => ({
    current_token: token,
    data_source_provided_id: "sales",
  })),
  createUserGroup: mutate("CREATED", "createUserGroup", ({ providedId }) => ({ providedId, name: "New" })),
  "getOrCreateUserGroup creates": mutate("CREATED", "getOrCreateUserGroup", ({ providedId }) => ({
    providedId,
    name: "New",
  })),
  updateUserGroup: mutate("UPDATED", "updateUserGroup", (target) => ({
    ...by(target),
    properties: { a: 1 },
  })),
  "updateUserGroup patches": mutate("UPDATED", "updateUserGroup", (target) => ({
    ...by(target),
    propertiesPatch: { a: 3 },
  })),
  updateUserGroups: mutate("UPDATED", "updateUserGroups", ({ providedId }) => ({
    userGroups: [{ providedId }],
    propertiesPatch: { a: 2 },
  })),
  "upsertUserGroups creates": mutate("CREATED", "upsertUserGroups", ({ providedId }) => ({
    userGroups: [{ providedId, name: "New" }],
  })),
  "upsertUserGroups updates": mutate("UPDATED", "upsertUserGroups", ({ providedId }) => ({
    userGroups: [{ providedId, name: "New" }],
  })),
  restoreUserGroup: mutate("UPDATED", "restoreUserGroup", (target) => ({ ...by(target), version: 1 })),
  undoBulkChange: mutate("UPDATED", "undoBulkChange", () => ({
    id: BULK_CHANGE,
    bulkChangeId: crypto.randomUUID(),
  })),
  rotateUserGroupToken: mutate("TOKEN_ROTATED", "rotateUserGroupToken", by),
  rotateUserGroupTokens: mutate("TOKEN_ROTATED", "rotateUserGroupTokens", ({ providedId }) => ({
    userGroups: [{ providedId }],
  })),
  deleteUserGroup: mutate("DELETED", "deleteUserGroup", by),
  deleteUserGroups: mutate("DELETED", "deleteUserGroups", ({ token }) => ({ userGroups: [{ token }] })),
  setUserGroupMapping: mutate("UPDATED", "setUserGroupMapping", (target) => ({
    ...by(target),
    ...entry("s", "support"),
  })),
  removeUserGroupMapping: mutate("UPDATED", "removeUserGroupMapping", (target) => ({
    ...by(target),
    schemaId: "s",
  })),
  replaceUserGroupMapping: mutate("UPDATED", "replaceUserGroupMapping", (target) => ({
    ...by(target),
    mapping: [],
  })),
};

let stream: EventStream;
const targets = new Map<string, Target>();

beforeAll(async () => {
  for (const [name, { kind }] of Object.entries(ROWS)) {
    const token =
      kind === "CREATED" ? "" : (await createUserGroup(graphql(), name, { mapping: MAPPED })).token;
    if (name === "restoreUserGroup") {
      const renaming = { user_group_id: name, name: "Renamed" };
      await graphql().rest("PUT", renaming);
    }
    if (name === "undoBulkChange") {
      const change = { userGroups: [{ providedId: name }], propertiesPatch: { a: 2 } };
      await graphql().mutate("updateUserGroups", { ...change, bulkChangeId: BULK_CHANGE });
    }
    targets.set(name, { providedId: name, token });
  }
  await createUserGroup(graphql(), "end");
  const { service, keys } = graphql();
  const query = "subscription { userGroupChanged { kind userGroupId userGroup { name } } }";
  stream = await openEventStream(service.url, `Token ${keys.admin}`, query);
  // Creations from before the subscription may arrive after its start.
  await eventsUntilNow();
  return () => stream.close();
});

let count = 0;

/** The events of the changes so far. */
async function eventsUntilNow(): Promise<Data[]> {
  count += 1;
  const name = `End ${count}`;
  await graphql().run(
    `mutation { updateUserGroup(input: { by: { providedId: "end" }, name: "${name}" }) { userErrors { code } } }`,
  );
  const events: Data[] = [];
  for (;;) {
    const event = Object(await stream.next()).data?.userGroupChanged;
    if (event === undefined) throw new Error("The stream has ended.");
    if (event.userGroup?.name === name) return events;
    events.push(event);
  }
}

async function auditEntries(providedId: string): Promise<Data[]> {
  const { auditLog } = await graphql().run(
    "query ($name: String!) { auditLog(filter: { subjectName: $name }) { nodes { action subjectId } } }",
    { name: providedId },
  );
  return auditLog.nodes;
}

/** The values of a group and its former ones, newest first. */
async function valuesOf(providedId: string): Promise<Data> {
  const values = "version name properties mapping { schemaId dataSource { providedId } }";
  const query = `query ($by: UserGroupBy!) { userGroup(by: $by) { ${values} history { nodes { ${values} } } } }`;
  const { history, ...current } = (await graphql().run(query, { by: { providedId } })).userGroup ?? {};
  return { current, former: history?.nodes ?? [] };
}

test("every mutation of user groups has a row", () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
  const listed = Object.keys(ROWS).map((name) => name.split(" ")[0] ?? "");
  expect([...new Set(listed), ...OTHER_MUTATIONS].toSorted()).toEqual(
    ["GET", "PUT", "POST", "DELETE", ...mutations].toSorted(),
  );
});

test.each(Object.entries(ROWS))("%s", async (name, { kind, change }) => {
  const target = targets.get(name);
  if (!target) throw new Error("The row has no group.");
  const [before, values] = [await auditEntries(name), await valuesOf(name)];
  await change(target);
  const entries = (await auditEntries(name)).slice(0, -before.length || undefined);
  expect(entries.map(({ action }) => action)).toEqual([`USER_GROUP_${kind}`]);
  const events = await eventsUntilNow();
  expect(events.map((event) => event.kind)).toEqual([kind]);
  expect(events.map(({ userGroupId }) => userGroupId)).toEqual(entries.map(({ subjectId }) => subjectId));
  // Only a change of values keeps the former ones; a deletion removes them.
  const kept =
    kind === "UPDATED" ? [values.current, ...values.former] : kind === "DELETED" ? [] : values.former;
  expect((await valuesOf(name)).former).toEqual(kept);
});
