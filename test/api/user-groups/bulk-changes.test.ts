import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql({ speed: { keyCacheMs: 0 } });
const { account, keys, mutate, run, service } = graphql;

const RESULT = "endCursor results { isChanged userGroup { id providedId version } userErrors { code } }";
const UNDONE = `endCursor results { isChanged userGroupId userGroup { providedId } userErrors { code } }`;

let mark = "";
let changeId = "";
let count = 0;
beforeEach(() => {
  count += 1;
  mark = `mark${count}`;
  changeId = randomUUID();
});

/** Creates groups with the plan `free` that only this test's filter finds. */
async function createGroups(...names: readonly string[]): Promise<void> {
  for (const name of names)
    await createUserGroup(graphql, `${mark}-${name}`, {
      properties: { mark, plan: "free", [name]: 1.5 },
      mapping: [entry("s", "sales")],
    });
}
const matching = () => ({ filter: { properties: { mark } } });
const byName = (name: string) => ({ providedId: `${mark}-${name}` });

async function update(input: object, key?: string): Promise<Data> {
  return mutate("updateUserGroups", { allOrNothing: false, bulkChangeId: changeId, ...input }, RESULT, key);
}
const setPlan = (plan: string, more: object = {}, key?: string) =>
  update({ ...matching(), propertiesPatch: { plan }, ...more }, key);

async function undo(more: object = {}, key = keys.write): Promise<Data> {
  return mutate("undoBulkChange", { id: changeId, bulkChangeId: randomUUID(), ...more }, UNDONE, key);
}

async function bulkChange(id = changeId): Promise<Data> {
  const fields = "id undoOf changed authorName changedCount createdAt updatedAt";
  return (await run(`query ($id: ID!) { bulkChange(id: $id) { ${fields} } }`, { id }, keys.write)).bulkChange;
}

async function planOf(name: string): Promise<Data> {
  const query =
    "query ($by: UserGroupBy!) { userGroup(by: $by) { properties mapping { dataSource { providedId } } } }";
  const { properties, mapping } = (await run(query, { by: byName(name) })).userGroup;
  return [properties.plan, ...mapping.map((each: Data) => each.dataSource.providedId)].join(" ");
}
const codesOf = ({ results }: Data): (string | boolean)[] =>
  results.map(
    ({ userErrors, isChanged }: { userErrors: { code: string }[]; isChanged: boolean }) =>
      userErrors[0]?.code ?? isChanged,
  );

describe("a bulk change", () => {
  test("is created by the first call, counts each group once, and is named by history and audit log", async () => {
    await createGroups("a", "b");
    expect(await bulkChange()).toBeNull();
    expect(codesOf(await setPlan("team", { dryRun: true }))).toEqual([true, true]);
    expect(await bulkChange()).toBeNull();
    expect(codesOf(await setPlan("team"))).toEqual([true, true]);
    expect(codesOf(await setPlan("team"))).toEqual([false, false]);
    await mutate("updateUserGroup", { by: byName("a"), propertiesPatch: { plan: "free" } });
    expect(codesOf(await setPlan("team"))).toEqual([true, false]);
    const found = await bulkChange(changeId.toUpperCase());
    expect(found).toEqual({
      id: changeId,
      undoOf: null,
      changed: ["properties"],
      authorName: "test",
      changedCount: 2,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(Date.parse(found.updatedAt)).toBeGreaterThan(Date.parse(found.createdAt));
    const { auditLog, userGroup } = await run(
      `query ($id: ID!, $by: UserGroupBy!) {
        auditLog(filter: { bulkChangeId: $id }) { totalCount nodes { subjectName bulkChangeId } }
        userGroup(by: $by) { history { nodes { version bulkChangeId } } auditLog { nodes { bulkChangeId } } }
      }`,
      { id: changeId, by: byName("a") },
    );
    expect(auditLog.totalCount).toBe(3);
    expect(new Set(auditLog.nodes.map((node: Data) => node.bulkChangeId))).toEqual(new Set([changeId]));
    expect(userGroup.history.nodes).toEqual([
      { version: 3, bulkChangeId: changeId },
      { version: 2, bulkChangeId: null },
      { version: 1, bulkChangeId: changeId },
    ]);
    expect(userGroup.auditLog.nodes.map((node: Data) => node.bulkChangeId)).toEqual([
      changeId,
      null,
      changeId,
      null,
    ]);
  });

  test("belongs to its author, filter and patch, of which nothing is stored", async () => {
    await createGroups("a");
    const text = "a secret of the patch";
    await setPlan(text);
    const refused = [{ code: "BULK_CHANGE_MISMATCH", message: expect.any(String), field: ["bulkChangeId"] }];
    const { secret } = await account.createKey({ scope: "write" });
    for (const other of [
      () => setPlan("other"),
      () => setPlan(text, {}, secret),
      () => setPlan(text, { filter: { properties: { mark, plan: "free" } } }),
      () => setPlan(text, { filter: undefined, userGroups: [byName("a")] }),
      () => setPlan(text, { setMapping: [entry("t", "sales")] }),
      () => setPlan(text, { dryRun: true, all: true, filter: undefined }),
      () => undo({ bulkChangeId: changeId }),
    ]) {
      expect((await other()).userErrors).toEqual(refused);
    }
    expect((await setPlan(text)).userErrors).toEqual([]);
    // The other environment has its own.
    const testing = await setPlan("other", {}, keys.testing);
    expect(testing.userErrors).toEqual([]);
    const [row] = await service.query(
      "SELECT to_jsonb(bulk_change)::text AS row FROM bulk_change WHERE change_id = $1 AND environment = 'Customer'",
      [changeId],
    );
    expect(row.row).not.toContain(text);
    expect(row.row).not.toContain(mark);
  });

  test("is not that of the next change in the same request with an Idempotency-Key", async () => {
    await createGroups("a");
    const query = `mutation ($id: ID!, $by: UserGroupBy!) {
      updateUserGroups(input: { userGroups: [$by], propertiesPatch: { plan: "team" }, bulkChangeId: $id }) { userErrors { code } }
      updateUserGroup(input: { by: $by, name: "New" }) { userErrors { code } }
    }`;
    const variables = { id: changeId, by: byName("a") };
    await graphql.send({ query, variables }, keys.write, { "idempotency-key": mark });
    const { userGroup } = await run(
      "query ($by: UserGroupBy!) { userGroup(by: $by) { history { nodes { bulkChangeId } } } }",
      { by: byName("a") },
    );
    expect(userGroup.history.nodes).toEqual([{ bulkChangeId: null }, { bulkChangeId: changeId }]);
  });

  test("is refused without a UUID", async () => {
    const invalid = { code: "INVALID_FIELD", message: expect.stringContaining("UUID") };
    const { userErrors } = await update({ ...matching(), propertiesPatch: {}, bulkChangeId: "1" });
    expect(userErrors).toEqual([{ ...invalid, field: ["bulkChangeId"] }]);
    expect((await undo({ id: "1", bulkChangeId: "2" })).userErrors).toEqual([
      { ...invalid, field: ["id"] },
      { ...invalid, field: ["bulkChangeId"] },
    ]);
  });

  test("is listed, newest first", async () => {
    await createGroups("a");
    await setPlan("team");
    const undoId = randomUUID();
    await undo({ bulkChangeId: undoId });
    const { bulkChanges } = await run(
      "{ bulkChanges(first: 2) { nodes { id undoOf changedCount } pageInfo { hasNextPage } } }",
      {},
      keys.write,
    );
    expect(bulkChanges).toEqual({
      nodes: [
        { id: undoId, undoOf: changeId, changedCount: 1 },
        { id: changeId, undoOf: null, changedCount: 1 },
      ],
      pageInfo: { hasNextPage: true },
    });
  });

  test("made by concurrent calls is one", async () => {
    await createGroups("a", "b", "c");
    const calls = ["a", "b", "c", "a"].map((name) =>
      update({ userGroups: [byName(name)], propertiesPatch: { plan: "team" } }),
    );
    for (const { userErrors } of await Promise.all(calls)) expect(userErrors).toEqual([]);
    expect((await bulkChange()).changedCount).toBe(3);
  });
});

describe("an undo", () => {
  test("restores the values by anyone who may write, as a bulk change that can be undone", async () => {
    await createGroups("a", "b");
    await mutate("createDataSource", { providedId: mark, name: mark });
    await setPlan("team", { setMapping: [entry("s", mark)] });
    expect(await planOf("b")).toBe(`team ${mark}`);
    const undoId = randomUUID();
    expect(codesOf(await undo({ bulkChangeId: undoId, dryRun: true }))).toEqual([true, true]);
    expect([await planOf("a"), await bulkChange(undoId)]).toEqual([`team ${mark}`, null]);
    expect(codesOf(await undo({ bulkChangeId: undoId }))).toEqual([true, true]);
    expect([await planOf("a"), await planOf("b")]).toEqual(["free sales", "free sales"]);
    const { userGroup } = await run("query ($by: UserGroupBy!) { userGroup(by: $by) { properties } }", {
      by: byName("a"),
    });
    expect(userGroup.properties).toEqual({ mark, plan: "free", a: 1.5 });
    const undone = { undoOf: changeId, changed: ["properties", "mapping"], changedCount: 2 };
    expect(await bulkChange(undoId)).toMatchObject(undone);
    // The reply may have been lost: the same call again restores nothing and refuses nothing.
    expect(codesOf(await undo({ bulkChangeId: undoId }))).toEqual([false, false]);
    expect(codesOf(await undo())).toEqual(["VERSION_CONFLICT", "VERSION_CONFLICT"]);
    expect(codesOf(await undo({ id: undoId }))).toEqual([true, true]);
    expect([await planOf("a"), await planOf("b")]).toEqual([`team ${mark}`, `team ${mark}`]);
  });

  test("restores the values before the first of several changes of a group", async () => {
    await createGroups("a");
    const names = ["a", "b"].map(byName);
    await update({ userGroups: names, setMapping: [entry("s", "sales")], propertiesPatch: { plan: "team" } });
    await undo();
    await createGroups("b");
    changeId = randomUUID();
    const patch = { propertiesPatch: { plan: "team" } };
    await update({ userGroups: [byName("b")], ...patch });
    const undoId = randomUUID();
    await undo({ bulkChangeId: undoId });
    await update({ userGroups: [byName("b")], ...patch });
    expect(codesOf(await undo({ bulkChangeId: undoId }))).toEqual([true]);
    expect(await planOf("b")).toBe("free sales");
  });

  test("refuses groups that were changed since or in between, were deleted, or lack history or a data source", async () => {
    await createGroups("changed", "between", "rotated", "deleted", "purged", "source", "fine");
    await mutate("createDataSource", { providedId: mark, name: mark });
    const mapped = { by: byName("source"), schemaId: "s", dataSource: mark };
    await mutate("setUserGroupMapping", mapped);
    await setPlan("team", { setMapping: [entry("s", "sales")] });
    await mutate("updateUserGroup", { by: byName("between"), name: "New" });
    await mutate("updateUserGroup", { by: byName("between"), propertiesPatch: { plan: "x" } });
    await setPlan("team", { setMapping: [entry("s", "sales")] });
    await mutate("updateUserGroup", { by: byName("changed"), name: "New" });
    await mutate("rotateUserGroupToken", { by: byName("rotated") });
    await mutate("deleteUserGroup", { by: byName("deleted") });
    await mutate("deleteDataSource", { by: { providedId: mark } });
    await service.query(
      "DELETE FROM user_group_history WHERE user_group_id = (SELECT id FROM user_group WHERE provided_id = $1)",
      [`${mark}-purged`],
    );
    const undone = await undo();
    expect(codesOf(undone)).toEqual([
      "VERSION_CONFLICT",
      "VERSION_CONFLICT",
      "VERSION_CONFLICT",
      "USER_GROUP_NOT_FOUND",
      "HISTORY_INCOMPLETE",
      "UNKNOWN_DATA_SOURCE",
      true,
    ]);
    expect(undone.userErrors).toHaveLength(6);
    expect(undone.results[3]).toMatchObject({ userGroup: null, userGroupId: expect.any(String) });
    expect([await planOf("purged"), await planOf("fine")]).toEqual(["team sales", "free sales"]);
    expect((await bulkChange()).changedCount).toBe(7);
  });

  test("is refused for a bulk change that does not exist, or is of another environment", async () => {
    await createGroups("a");
    await setPlan("team");
    for (const [input, key] of [
      [{ id: randomUUID() }, keys.write],
      [{}, keys.testing],
    ] as const) {
      expect((await undo(input, key)).userErrors).toMatchObject([
        { code: "BULK_CHANGE_NOT_FOUND", field: ["id"] },
      ]);
    }
    expect(await planOf("a")).toBe("team sales");
  });

  test("takes as many calls as the change, and fewer groups per call if their properties are large", async () => {
    const groups = Array.from({ length: 260 }, (_, index) => ({
      providedId: `${mark}-${index}`,
      name: "Many",
      properties: { mark, plan: "free", ...(index < 100 ? { text: "x".repeat(30_000) } : {}) },
    }));
    for (let start = 0; start < groups.length; start += 100)
      await mutate("upsertUserGroups", { userGroups: groups.slice(start, start + 100) });
    for (let after: string | null = null, isStarted = false; !isStarted || after !== null; isStarted = true)
      after = (await setPlan("team", { after })).endCursor;
    expect((await bulkChange()).changedCount).toBe(260);
    const undoId = randomUUID();
    const sizes: number[] = [];
    let after: string | null = null;
    do {
      const page = await undo({ bulkChangeId: undoId, after });
      expect(page.userErrors).toEqual([]);
      sizes.push(page.results.length);
      after = page.endCursor;
    } while (after !== null);
    // 4 MiB have the current and the former properties of 69 groups.
    expect(sizes).toEqual([69, 191]);
    expect((await bulkChange(undoId)).changedCount).toBe(260);
    const { userGroups } = await run(
      "query ($mark: JSON!) { userGroups(filter: { properties: $mark }) { totalCount } }",
      { mark: { mark, plan: "free" } },
    );
    expect(userGroups.totalCount).toBe(260);
  });
});
