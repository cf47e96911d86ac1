import { describe, expect, test } from "vitest";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry, READ } from "../../support/graphql/user-group-operations.js";

const graphql = useGraphql({ speed: { keyCacheMs: 0 } });
const create = (providedId: string, more: object = {}) => createUserGroup(graphql(), providedId, more);

const ROTATE = `mutation ($input: RotateUserGroupTokensInput!) {
  rotateUserGroupTokens(input: $input) {
    results { userGroup { id version token } userErrors { code message field } }
    userErrors { code message field }
  }
}`;
const DELETE = `mutation ($input: DeleteUserGroupsInput!) {
  deleteUserGroups(input: $input) {
    results { deletedUserGroupId userErrors { code message field } }
    userErrors { code message field }
  }
}`;
const MUTATIONS = [
  ["rotateUserGroupTokens", ROTATE, "userGroup"],
  ["deleteUserGroups", DELETE, "deletedUserGroupId"],
] as const;

async function edit(mutation: string, userGroups: readonly object[], more: object = {}): Promise<Data> {
  const [payload] = Object.values(await graphql().run(mutation, { input: { userGroups, ...more } }));
  return payload;
}

async function read(providedId: string): Promise<Data> {
  return (await graphql().run(READ, { by: { providedId } })).userGroup;
}

async function actionsOf(id: string): Promise<string[]> {
  const { auditLog } = await graphql().run("{ auditLog(first: 100) { nodes { action subjectId } } }");
  return auditLog.nodes
    .filter(({ subjectId }: Data) => subjectId === id)
    .map(({ action }: Data) => action)
    .toReversed();
}

/** References to four groups, each by another identifier. */
async function createFour(name: string) {
  const groups = await Promise.all(
    [0, 1, 2, 3].map((index) => create(`${name} ${index}`, { mapping: [entry("a", "sales")] })),
  );
  const [one, two, three, four] = groups;
  return {
    groups,
    refs: [
      { id: one?.id },
      { providedId: two?.providedId },
      { teamId: three?.teamId },
      { token: four?.token },
    ],
  };
}

describe("bulk edits", () => {
  test("rotate tokens, found by each identifier, in the order of the input", async () => {
    const { groups, refs } = await createFour("rotated");
    const { results, userErrors } = await edit(ROTATE, refs);
    expect(userErrors).toEqual([]);
    expect(results).toMatchObject(
      groups.map(({ id }) => ({ userGroup: { id, version: 2 }, userErrors: [] })),
    );
    for (const [index, { id, token, providedId }] of groups.entries()) {
      expect(results[index].userGroup.token).not.toBe(token);
      expect(await read(providedId)).toMatchObject({ id, token: results[index].userGroup.token });
      expect(await actionsOf(id)).toEqual(["USER_GROUP_CREATED", "USER_GROUP_TOKEN_ROTATED"]);
    }
  });

  test("delete groups, found by each identifier, in the order of the input", async () => {
    const { groups, refs } = await createFour("deleted");
    const { results, userErrors } = await edit(DELETE, refs);
    expect(userErrors).toEqual([]);
    expect(results).toEqual(groups.map(({ id }) => ({ deletedUserGroupId: id, userErrors: [] })));
    for (const { id, providedId } of groups) {
      expect(await read(providedId)).toBeNull();
      expect(await actionsOf(id)).toEqual(["USER_GROUP_CREATED", "USER_GROUP_DELETED"]);
    }
  });

  test.each(MUTATIONS)(
    "%s reports every invalid group, and changes all others or none",
    async (name, mutation, value) => {
      const group = await create(`fine ${name}`);
      const { strangerKey, run } = graphql();
      const foreign = await createUserGroup(
        { ...graphql(), run: (text, variables) => run(text, variables, strangerKey) },
        `foreign ${name}`,
      );
      const refs = [
        { id: group.id },
        { providedId: group.providedId },
        { providedId: "missing" },
        { token: "nonsense" },
        { id: foreign.id },
        { providedId: "" },
      ];
      const repeated = "The same user group must not be repeated.";
      const missing = "No user group has this ID.";
      const errors = [
        { code: "INVALID_FIELD", message: repeated, field: null },
        { code: "USER_GROUP_NOT_FOUND", message: missing, field: null },
        { code: "USER_GROUP_NOT_FOUND", message: "No user group has this token.", field: null },
        { code: "USER_GROUP_NOT_FOUND", message: missing, field: null },
        {
          code: "INVALID_FIELD",
          message: expect.stringContaining("providedId must "),
          field: ["providedId"],
        },
      ];
      const ofItems = errors.map((error) => ({ [value]: null, userErrors: [error] }));
      const ofInput = errors.map(({ field, ...error }, index) => ({
        ...error,
        field: ["userGroups", String(index + 1), ...(field ?? [])],
      }));
      const rejected = {
        code: "BATCH_REJECTED",
        message: "Nothing was written, because another user group of the request is invalid.",
        field: null,
      };
      expect(await edit(mutation, refs)).toEqual({
        results: [{ [value]: null, userErrors: [rejected] }, ...ofItems],
        userErrors: ofInput,
      });
      expect(await read(group.providedId)).toMatchObject({ version: 1, token: group.token });
      const { results, userErrors } = await edit(mutation, refs, { allOrNothing: false });
      expect(userErrors).toEqual(ofInput);
      expect(results).toMatchObject([{ [value]: expect.anything(), userErrors: [] }, ...ofItems]);
      expect((await run(READ, { by: { token: group.token } })).userGroup).toBeNull();
      expect((await run(READ, { by: { id: foreign.id } }, strangerKey)).userGroup.token).toBe(foreign.token);
    },
  );

  test.each(MUTATIONS)(
    "%s takes as many statements for a thousand groups as for one, and rejects more",
    async (name, mutation) => {
      const { service, run } = graphql();
      const refs = Array.from({ length: 1000 }, (_, index) => ({ providedId: `${name} ${index}` }));
      const count = async (items: readonly object[]) => {
        const userGroups = items.map((item) => ({ ...item, name: "Bulk", mapping: [entry("a", "sales")] }));
        const upsert = `mutation ($input: UpsertUserGroupsInput!) { upsertUserGroups(input: $input) { userErrors { code } } }`;
        expect((await run(upsert, { input: { userGroups } })).upsertUserGroups.userErrors).toEqual([]);
        service.statements.length = 0;
        const { results, userErrors } = await edit(mutation, items);
        expect(userErrors).toEqual([]);
        expect(results).toHaveLength(items.length);
        return service.statements.length;
      };
      const one = await count(refs.slice(0, 1));
      expect(await count(refs)).toBe(one);
      expect(await edit(mutation, [...refs, { providedId: "one more" }])).toEqual({
        results: [],
        userErrors: [
          {
            code: "INVALID_FIELD",
            message: "userGroups must have at most 1000 user groups.",
            field: ["userGroups"],
          },
        ],
      });
      expect(await edit(mutation, [])).toEqual({ results: [], userErrors: [] });
    },
  );

  test("concurrent rotations and deletions of the same groups all get an answer, and each group is deleted once", async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `contested ${index}`);
    const groups = await Promise.all(ids.map((id) => create(id)));
    const calls = Array.from({ length: 10 }, (_, call) => {
      const refs = (call % 3 ? groups : groups.toReversed()).map(({ id }) => ({ id }));
      return edit(call % 2 ? DELETE : ROTATE, refs, { allOrNothing: false });
    });
    const results = (await Promise.all(calls)).flatMap((payload) => payload.results);
    const deleted = results.flatMap(({ deletedUserGroupId }: Data) => deletedUserGroupId ?? []);
    expect(deleted.toSorted()).toEqual(groups.map(({ id }) => id).toSorted());
    const codes = results.flatMap(({ userErrors }: Data) => userErrors.map(({ code }: Data) => code));
    expect(new Set(codes)).toEqual(new Set(["USER_GROUP_NOT_FOUND"]));
  });
});
