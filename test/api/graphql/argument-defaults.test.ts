import { randomUUID } from "node:crypto";
import { buildSchema, isInputObjectType, isNonNullType } from "graphql";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { printSdl } from "../../../src/graphql/server/schema.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql({ tokenGraceSeconds: 60 });
const { mutate, run, service } = graphql;

const WARNED = '{"name":"D","navigation":[{"group":"G","pages":["index"]}],"foo":1}';
const newSite = () => `site-${randomUUID()}`;

/** The effect of each optional argument that has a documented default, as a caller sees it. */
const EFFECTS: Readonly<
  Record<string, readonly [run: (value: object) => Promise<unknown>, effect: unknown]>
> = {
  "CreateEmbedSessionInput.expiresInSeconds": [
    async (value) => {
      const input = { by: { providedId: "acme" }, ...value };
      const { exp = 0, iat = 0 } = decodeJwt((await mutate("createEmbedSession", input, "token")).token);
      return exp - iat;
    },
    900,
  ],
  "PutSiteConfigInput.strict": [
    async (value) =>
      (
        await mutate(
          "putSiteConfig",
          { site: newSite(), source: { text: WARNED }, ...value },
          "siteConfig { revision }",
        )
      ).siteConfig,
    { revision: 1 },
  ],
  "PatchSiteConfigInput.strict": [
    async (value) => {
      const at = newSite();
      await mutate("putSiteConfig", { site: at, source: { text: WARNED } }, "__typename");
      const input = { site: at, patch: { name: "E" }, ...value };
      return (await mutate("patchSiteConfig", input, "siteConfig { revision }")).siteConfig;
    },
    { revision: 2 },
  ],
  "RotateUserGroupTokenInput.graceSeconds": [
    (value) => graceAfter("rotateUserGroupToken", { by: { providedId: "acme" }, ...value }),
    60,
  ],
  "RotateUserGroupTokensInput.graceSeconds": [
    (value) => graceAfter("rotateUserGroupTokens", { userGroups: [{ providedId: "acme" }], ...value }),
    60,
  ],
};

async function graceAfter(name: string, input: object): Promise<number> {
  expect((await mutate(name, input, "__typename")).userErrors).toEqual([]);
  const [{ seconds }] = await service.query(
    "SELECT ceil(extract(epoch FROM previous_token_expires_at - updated_at))::float AS seconds FROM user_group",
  );
  return seconds;
}

const schema = buildSchema(printSdl());
const fields = Object.values(schema.getMutationType()?.getFields() ?? {})
  .flatMap(({ args }) => args)
  .map(({ type }) => (isNonNullType(type) ? type.ofType : type))
  .filter(isInputObjectType)
  .flatMap((input) =>
    Object.values(input.getFields()).map((field) => [`${input.name}.${field.name}`, field] as const),
  );

test("the table has every optional argument of a mutation with a documented default", () => {
  const documented = fields.filter(
    ([, { type, defaultValue, description }]) =>
      !isNonNullType(type) && (defaultValue !== undefined || /\bdefaults?\b/i.test(description ?? "")),
  );
  expect(Object.keys(EFFECTS).toSorted()).toEqual(documented.map(([name]) => name).toSorted());
});

describe("absent and null are the default", async () => {
  await createUserGroup(graphql, "acme");
  test.each(Object.entries(EFFECTS))("%s", async (name, [effectOf, effect]) => {
    const argument = name.split(".")[1] ?? "";
    expect(await effectOf({})).toEqual(effect);
    expect(await effectOf({ [argument]: null })).toEqual(effect);
  });
});

test("an argument with a default that may not be null refuses null", async () => {
  for (const [name] of fields.filter(
    ([, field]) => isNonNullType(field.type) && field.defaultValue !== undefined,
  )) {
    const [input = "", argument = ""] = name.split(".");
    const mutation = `${input.charAt(0).toLowerCase()}${input.slice(1)}`.replace(/Input$/, "");
    const query = `mutation { ${mutation}(input: { ${argument}: null }) { __typename } }`;
    await expect(run(query), name).rejects.toThrow(`found null`);
  }
});
