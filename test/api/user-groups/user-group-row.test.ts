import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isStorable } from "../../../src/domain/shared/text-field.js";
import {
  readUserGroup,
  USER_GROUP_COLUMNS,
  type UserGroupRow,
} from "../../../src/persistence/user-groups/row.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";

const graphql = useGraphql();

const COLUMNS =
  "id::double precision AS id, provided_id, name, token_key_id, token_ciphertext, token_lookup, properties::text AS properties, version, created_at, updated_at";

/** The same row as parsed by the driver. */
interface Row {
  readonly id: number;
  readonly provided_id: string;
  readonly name: string;
  readonly token_key_id: string;
  readonly token_ciphertext: Buffer;
  readonly token_lookup: Buffer;
  readonly properties: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Any text that the database can store, with surrogate pairs. */
const text = fc
  .array(fc.oneof(fc.string({ unit: "binary", maxLength: 9 }), fc.constantFrom("\\x", "null", "😀", "é")), {
    minLength: 1,
    maxLength: 9,
  })
  .map((parts) => parts.join(""))
  .filter(isStorable);
const properties = fc.option(
  fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text))),
);
const groups = fc.uniqueArray(fc.record({ providedId: text, name: text, properties }), {
  selector: ({ providedId }) => providedId,
  minLength: 1,
  maxLength: 4,
});

describe("a group read from unparsed columns", () => {
  test("equals the columns as the driver parses them", async () => {
    const { service, account } = graphql();
    const tenant = { accountId: account.accountId, environment: "Customer" } as const;
    const db = service.database.of(tenant);
    await fc.assert(
      fc.asyncProperty(groups, async (list) => {
        await service.query("DELETE FROM user_group WHERE account_id = $1", [account.accountId]);
        await service.query(
          `INSERT INTO user_group (account_id, environment, id, provided_id, name, properties,
             token_key_id, token_ciphertext, token_lookup)
           SELECT $1, 'Customer', nextval('user_group_team_id'), provided_id, name, properties::json,
             'abc', convert_to(name, 'UTF8'), sha256(convert_to(provided_id, 'UTF8'))
           FROM unnest($2::text[], $3::text[], $4::text[]) AS item (provided_id, name, properties)`,
          [
            account.accountId,
            list.map(({ providedId }) => providedId),
            list.map(({ name }) => name),
            list.map(({ properties: given }) => given && JSON.stringify(given)),
          ],
        );
        const rows: Row[] = await service.query(
          `SELECT ${COLUMNS} FROM user_group WHERE account_id = $1 ORDER BY user_group.id`,
          [account.accountId],
        );
        const expected = rows.map((row) => ({
          accountId: account.accountId,
          environment: "Customer",
          id: row.id,
          providedId: row.provided_id,
          name: row.name,
          storedToken: {
            keyId: row.token_key_id,
            hex: Buffer.concat([row.token_ciphertext, row.token_lookup]).toString("hex"),
          },
          properties: row.properties,
          version: row.version,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        }));
        expect(expected.map(({ providedId, name }) => ({ providedId, name }))).toEqual(
          list.map(({ providedId, name }) => ({ providedId, name })),
        );
        const unparsed = await db.run<UserGroupRow>(
          { access: "read", text: `SELECT ${USER_GROUP_COLUMNS} FROM user_group ORDER BY id`, rows: "text" },
          [],
        );
        expect(unparsed.map((row) => allOf(readUserGroup(service.database.for(tenant), row)))).toEqual(
          expected,
        );
      }),
      { numRuns: 60 },
    );
  });
});

function allOf(group: ReturnType<typeof readUserGroup>) {
  const { accountId, environment, id, providedId, name, storedToken, properties: read } = group;
  const { version, createdAt, updatedAt } = group;
  return {
    accountId,
    environment,
    id,
    providedId,
    name,
    storedToken,
    properties: read,
    version,
    createdAt,
    updatedAt,
  };
}
