import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import type { RestReply } from "../../support/rest/rest-client.js";

const graphql = await startGraphql({ poolSize: 10 });
const { mutate, service } = graphql;

const MERGE_PATCH = { "content-type": "application/merge-patch+json" };

function rest(method: string, id: string, fields: string, headers = {}): Promise<RestReply> {
  return graphql.rest(method, `{"user_group_id":${JSON.stringify(id)},${fields}}`, undefined, headers);
}
const restPatch = (id: string, patch: string, headers = {}) =>
  rest("PUT", id, `"properties":${patch}`, { ...MERGE_PATCH, ...headers });
const graphqlPatch = (providedId: string, patch: string, changes = {}) =>
  mutate(
    "updateUserGroup",
    { by: { providedId }, propertiesPatch: JSON.parse(patch), ...changes },
    "userGroup { version }",
  );

async function create(id: string, properties: string): Promise<void> {
  expect((await rest("GET", id, `"name":"N","properties":${properties}`)).status).toBe(200);
}

async function storedOf(id: string): Promise<{ readonly text: string | null; readonly version: number }> {
  const [row] = await service.query(
    "SELECT properties::text AS text, version FROM user_group WHERE provided_id = $1",
    [id],
  );
  return row;
}

/** The changed fields in each audit entry of an update, oldest first. */
async function auditedOf(id: string): Promise<readonly string[]> {
  const rows = await service.query(
    "SELECT changed FROM audit_entry WHERE subject_name = $1 AND action = 'user_group.updated' ORDER BY id",
    [id],
  );
  return rows.map(({ changed }: { changed: readonly string[] }) => changed.join());
}

/** Ways to patch, each of which throws the code and the field of an error. */
const WAYS: Readonly<Record<string, (id: string, patch: string) => Promise<unknown>>> = {
  async PUT(id, patch) {
    const { error } = Object((await restPatch(id, patch)).body);
    if (error) throw new Error(`${error.code} ${error.field}`);
  },
  async updateUserGroup(id, patch) {
    const [error] = (await graphqlPatch(id, patch)).userErrors;
    if (error) throw new Error(`${error.code.toLowerCase()} ${error.field?.join(".")}`);
  },
};
const WIDE = JSON.stringify({ a: "x".repeat(65_528) });
const deep = (levels: number, inner: string) =>
  `${'{"a":'.repeat(levels - 1)}${inner}${"}".repeat(levels - 1)}`;

describe.each(Object.entries(WAYS))("a merge patch by %s", (way, patchBy) => {
  test.each<readonly [what: string, stored: string, patch: string, result: string | null, changes: number]>([
    [
      "changes, adds and removes",
      '{"a":1,"b":{"c":1,"d":2}}',
      '{"a":2,"b":{"c":null},"e":[null]}',
      '{"a":2,"b":{"d":2},"e":[null]}',
      1,
    ],
    [
      "keeps the text of the rest",
      '{"z":1.50,"10":12345678901234567890,"\\u0061":1}',
      '{"z":1.5,"b":2}',
      '{"z":1.50,"10":12345678901234567890,"\\u0061":1,"b":2}',
      1,
    ],
    ["replaces a list", '{"a":[1,2,3]}', '{"a":[4]}', '{"a":[4]}', 1],
    ["removes all by null", '{"a":1}', "null", null, 1],
    ["of no properties", "null", '{"a":{"b":null,"c":1}}', '{"a":{"c":1}}', 1],
    [
      "merges the last of duplicate keys",
      '{"a":{"b":1},"c":1,"a":{"d":1}}',
      '{"a":{"e":1}}',
      '{"c":1,"a":{"d":1,"e":1}}',
      1,
    ],
    [
      "that changes nothing",
      '{"a":1.0,"b":{"c":1}}',
      '{"a":1,"b":{"x":null},"y":null}',
      '{"a":1.0,"b":{"c":1}}',
      0,
    ],
    ["fills 65,536 bytes", '{"a":1}', WIDE, WIDE, 1],
    [
      "reaches 16 levels",
      deep(16, '{"b":1}'),
      deep(16, '{"b":2,"c":[]}').replace("[]", "3"),
      deep(16, '{"b":2,"c":3}'),
      1,
    ],
  ])("%s", async (what, stored, patch, result, changes) => {
    const id = `${way} ${what}`;
    await create(id, stored);
    await patchBy(id, patch);
    expect(await storedOf(id)).toEqual({ text: result, version: 1 + changes });
    expect(await auditedOf(id)).toEqual(Array.from({ length: changes }, () => "properties"));
  });

  const field = way === "PUT" ? "properties" : "propertiesPatch";
  test.each([
    ["a list", "[1]", ""],
    ["a text", '"x"', ""],
    ["17 levels", deep(17, "{}"), ".a".repeat(16)],
    ["a character that cannot be stored", '{"a":{"b":"\\u0000"}}', ".a.b"],
    ["a patch of 65,537 bytes", JSON.stringify({ a: "x".repeat(65_529) }), ""],
    ["a result of 65,537 bytes", JSON.stringify({ b: "x".repeat(65_523) }), ""],
  ])("is refused: %s", async (what, patch, path) => {
    const id = `${way} refuses ${what}`;
    await create(id, '{"a":1}');
    await expect(patchBy(id, patch)).rejects.toThrow(`invalid_field ${field}${path}`);
    expect(await storedOf(id)).toEqual({ text: '{"a":1}', version: 1 });
    await expect(patchBy("nobody", "{}")).rejects.toThrow("user_group_not_found");
  });
});

test("numbers and keys of a patch by PUT keep their text, and its media type may have parameters", async () => {
  await create("text", '{"a":1}');
  const patch = '{"z":1.50,"10":12345678901234567890,"2":{"e":1e400,"n":null}}';
  const type = { "content-type": 'Application/Merge-Patch+JSON ; charset="utf-8"' };
  const reply = await restPatch("text", patch, type);
  expect(reply).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^"\d+-2"$/) } });
  expect((await storedOf("text")).text).toBe('{"a":1,"z":1.50,"10":12345678901234567890,"2":{"e":1e400}}');
  await restPatch("text", '{"10":12345678901234567891}');
  expect((await storedOf("text")).text).toContain('"10":12345678901234567891,');
});

test("a merge patch changes the other fields as usual", async () => {
  await create("fields", '{"a":1}');
  const patched = await rest(
    "PUT",
    "fields",
    '"name":"New","mapping":{"s":"sales"},"properties":{"b":2}',
    MERGE_PATCH,
  );
  expect(patched.body).toMatchObject({ user_group: { name: "New", properties: { a: 1, b: 2 } } });
  expect(await auditedOf("fields")).toEqual(["name,properties,mapping"]);
  expect((await rest("PUT", "fields", '"name":"Newer"', MERGE_PATCH)).body).toMatchObject({
    user_group: { name: "Newer", properties: { a: 1, b: 2 } },
  });
});

test("a patch is checked against the version, and excludes `properties`", async () => {
  await create("guarded", '{"a":1}');
  expect((await graphqlPatch("guarded", '{"a":2}', { expectedVersion: 2 })).userErrors).toMatchObject([
    { code: "VERSION_CONFLICT", field: ["expectedVersion"] },
  ]);
  expect((await restPatch("guarded", '{"a":2}', { "if-match": '"1-2"' })).status).toBe(412);
  for (const properties of [{ b: 1 }, null]) {
    for (const patch of ['{"a":2}', "null"]) {
      const message = "propertiesPatch must not be sent together with `properties`.";
      expect((await graphqlPatch("guarded", patch, { properties, name: "" })).userErrors).toMatchObject([
        { code: "INVALID_FIELD", field: ["name"] },
        { code: "INVALID_FIELD", field: ["propertiesPatch"], message },
      ]);
    }
  }
  expect(await storedOf("guarded")).toEqual({ text: '{"a":1}', version: 1 });
  const { userGroup } = await graphqlPatch("guarded", '{"a":2}', { expectedVersion: 1, mapping: [] });
  expect(userGroup).toEqual({ version: 2 });
});

test("concurrent patches of different properties lose no update, in both APIs and with repetitions", async () => {
  await create("shared", '{"owner":{}}');
  const writers = Array.from({ length: 8 }, (_, writer) => async () => {
    for (let step = 1; step <= 10; step += 1) {
      const patch = JSON.stringify({ [`w${writer}`]: step, owner: { [`w${writer}`]: step } });
      if (writer % 2 === 0) expect((await graphqlPatch("shared", patch)).userErrors).toEqual([]);
      else {
        const headers = writer % 4 === 1 ? { "idempotency-key": `${writer} ${step}` } : {};
        const replies = await Promise.all([1, 2].map(() => restPatch("shared", patch, headers)));
        for (const reply of replies) {
          expect(reply.status).toBe(200);
          expect(reply.body).toMatchObject({ user_group: { properties: JSON.parse(patch) } });
        }
      }
    }
  });
  await Promise.all(writers.map((write) => write()));
  const last = Object.fromEntries(writers.map((_, writer) => [`w${writer}`, 10]));
  const { text, version } = await storedOf("shared");
  expect(JSON.parse(text ?? "")).toEqual({ ...last, owner: last });
  expect(version).toBe(81);
  expect(await auditedOf("shared")).toHaveLength(80);
});
