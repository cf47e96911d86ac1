import { describe, expect, test } from "vitest";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { times } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql();
const { call } = graphql;
const MAX_BYTES = 100_000;
const small = await startGraphql({ limits: { replyBytes: MAX_BYTES } });
/** Reached by events that are smaller than the unread bytes of a stream. */
const cheap = await startGraphql({ limits: { cost: 20_000 } });
const KIB = 1024;
/** Bytes of properties that the cost limit allows. */
const MAX_PROPERTIES = (25_000 / 20) * KIB;

const aliases = (count: number, field: string) => times(count, (index) => `a${index}: ${field}`);

/** Properties with that many bytes of JSON text. */
function properties(bytes: number): object {
  return { p: "x".repeat(bytes - JSON.stringify({ p: "" }).length) };
}

const tooExpensive = (message: string, figures: object) => ({
  message,
  extensions: { code: "QUERY_TOO_EXPENSIVE", ...figures },
});
const PROPERTIES_TOO_LARGE = tooExpensive(
  "The query costs more than 25000 because of the size of the properties. Request fewer user groups at once.",
  { limit: 25_000 },
);
const REPLY_TOO_LARGE = tooExpensive(`The reply has more than ${MAX_BYTES} bytes. Request less at once.`, {
  limit: MAX_BYTES,
});

async function upsert(fixture: typeof graphql, prefix: string, count: number, more: object) {
  const userGroups = Array.from({ length: count }, (_, index) => ({
    providedId: `${prefix}-${index}`,
    name: "n".repeat(255),
    ...more,
  }));
  return fixture.mutate("upsertUserGroups", { userGroups }, "results { userGroup { name properties } }");
}

const page = (
  size: number,
  prefix: string,
) => `{ userGroups(first: ${size}, filter: { nameStartsWith: "${prefix}" }) {
  nodes { id teamId providedId name token properties environment version createdAt updatedAt
    mapping { schemaId dataSource { dataSourceId providedId name } } } } }`;

describe("properties cost 20 per started KiB of JSON:", () => {
  test("a page of 250 groups with every field is within the limits", async () => {
    await upsert(graphql, "full", 250, { name: "full", properties: properties(KIB) });
    const { userGroups } = await graphql.run(page(250, "full"));
    expect(userGroups.nodes).toHaveLength(250);
  });

  test("many large ones are rejected with a small reply", async () => {
    await createUserGroup(graphql, "large", { properties: properties(64 * KIB) });
    const query = (count: number) =>
      `{ userGroup(by: { providedId: "large" }) { ${aliases(count, "properties")} } }`;
    // 1 for the group; 64 × 20 for each.
    const maximum = Math.floor((25_000 - 1) / (64 * 20));
    for (const _ of ["at first", "when it is known"]) {
      expect(await call(query(maximum))).toMatchObject({ status: 200, body: { data: { userGroup: {} } } });
      expect((await call(query(maximum))).body).not.toHaveProperty("errors");
      const reply = await call(query(60));
      const { data, errors } = Object(reply.body);
      const returned = Object.values(data.userGroup).filter((value) => value !== null);
      expect(returned.length).toBeLessThanOrEqual(maximum);
      expect(errors).toHaveLength(60 - returned.length);
      expect(errors.at(-1)).toMatchObject({ ...PROPERTIES_TOO_LARGE, path: ["userGroup", "a59"] });
      expect(JSON.stringify(reply.body).length).toBeLessThan(MAX_PROPERTIES);
    }
  });

  test("a front end's own properties count, too", async () => {
    const { token } = await createUserGroup(graphql, "front", { properties: properties(64 * KIB) });
    const query = `{ viewer { userGroup { ${aliases(60, "properties")} } } }`;
    const { body } = await graphql.front(token, query);
    expect(JSON.stringify(body).length).toBeLessThan(MAX_PROPERTIES);
    expect(Object(body).errors.at(-1)).toMatchObject(PROPERTIES_TOO_LARGE);
  });

  test("a mutation's result is returned in full", async () => {
    const { results } = await upsert(graphql, "many", 50, { properties: properties(64 * KIB) });
    expect(results).toHaveLength(50);
    expect(results[49].userGroup.properties).toEqual(properties(64 * KIB));
  });
});

test("each event of a stream counts as a reply of its own", async () => {
  const { service, keys, mutate } = cheap;
  const by = { providedId: "streamed" };
  await createUserGroup(cheap, "streamed", { properties: properties(64 * KIB) });
  const open = (count: number) =>
    openGroupStream(
      service.url,
      `Token ${keys.admin}`,
      `subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { userGroup { name ${aliases(count, "properties")} } } }`,
      { by },
    );
  const [within, beyond] = [await open(12), await open(60)];
  for (const name of ["one", "two", "three"]) {
    await mutate("updateUserGroup", { by, name });
    const event = await within.next();
    expect(event).toMatchObject({ data: { userGroupChanged: { userGroup: { name } } } });
    expect(event).not.toHaveProperty("errors");
    const cut = await beyond.next();
    expect(cut).toMatchObject({
      data: { userGroupChanged: { userGroup: { name, a0: properties(64 * KIB), a59: null } } },
    });
    expect(Object(cut).errors.at(-1)).toMatchObject({
      extensions: { code: "QUERY_TOO_EXPENSIVE", limit: 20_000 },
    });
  }
  within.close();
  beyond.close();
});

describe("a reply's size is limited:", () => {
  test("names, however often they are requested", async () => {
    const { call } = small;
    await upsert(small, "named", 50, {});
    const query = (count: number) => `{ userGroups(first: 50) { nodes { ${aliases(count, "name")} } } }`;
    for (const _ of ["at first", "when it is known"]) {
      expect((await call(query(5))).status).toBe(200);
      const reply = await call(query(10));
      expect(reply).toMatchObject({ status: 400, body: { errors: [REPLY_TOO_LARGE] } });
      expect(reply.body).toMatchObject({
        errors: [{ extensions: { requestId: reply.headers["x-request-id"] } }],
      });
      expect(reply.body).not.toHaveProperty("data");
    }
  });

  test("a mutation's result, before it is serialized", async () => {
    const { call } = small;
    const query = `mutation ($input: UpdateUserGroupInput!) { updateUserGroup(input: $input) {
      userGroup { name ${aliases(60, "properties")} } } }`;
    await createUserGroup(small, "told");
    const input = { by: { providedId: "told" }, properties: properties(60 * KIB) };
    const reply = await call(query, { input });
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { updateUserGroup: { userGroup: { name: "told", a0: input.properties, a1: null } } } },
    });
    expect(Object(reply.body).errors).toHaveLength(59);
    expect(Object(reply.body).errors[0]).toMatchObject(REPLY_TOO_LARGE);
  });

  test("mappings, whose length the cost does not predict", async () => {
    const { call } = small;
    const mapping = Array.from({ length: 1000 }, (_, index) => ({
      schemaId: `${index}`.padStart(255, "s"),
      dataSource: "sales",
    }));
    await createUserGroup(small, "mapped", { mapping: mapping.slice(0, 300) });
    const query = '{ userGroup(by: { providedId: "mapped" }) { mapping { schemaId } } }';
    expect((await call(query)).status).toBe(200);
    await small.mutate("replaceUserGroupMapping", { by: { providedId: "mapped" }, mapping });
    expect(await call(query)).toMatchObject({
      status: 400,
      body: { data: { userGroup: null }, errors: [{ ...REPLY_TOO_LARGE, path: ["userGroup", "mapping"] }] },
    });
  });
});

test("none of this is logged as an internal error", () => {
  for (const { service } of [graphql, small]) {
    expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  }
});
