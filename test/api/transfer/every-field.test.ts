import { expect, test } from "vitest";
import type { UserGroupFields } from "../../../src/domain/user-groups/user-group.js";
import { exportAccount } from "../../../src/services/transfer/account-data.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { startTransferCommands } from "../../support/transfer/commands.js";

/** Two values of each field that clients set. A new field does not compile without them. */
const VALUES: Readonly<Record<keyof UserGroupFields, readonly [former: unknown, current: unknown]>> = {
  name: ["Former", "Current"],
  properties: [{ is: "former" }, { is: "current" }],
};
const valuesAt = (index: 0 | 1) =>
  Object.fromEntries(Object.entries(VALUES).map(([field, values]) => [field, values[index]]));
const [FORMER, CURRENT] = [valuesAt(0), valuesAt(1)];
const SELECTION = Object.keys(VALUES).join(" ");

const commands = await startTransferCommands();

async function run({ key }: { readonly key: string }, operation: string, variables: object = {}) {
  const { body } = await callGraphql(commands.service.url, key, operation, { ...variables });
  const { data, errors } = Object(body);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Writes a group in bulk, twice. */
async function createChangedGroup() {
  const tenant = await commands.createTenant();
  for (const fields of [FORMER, CURRENT]) {
    const { upsertUserGroups } = await run(
      tenant,
      `mutation ($group: UpsertUserGroupInput!) { upsertUserGroups(input: { userGroups: [$group] }) {
        userErrors { message } results { userGroup { ${SELECTION} } } } }`,
      { group: { providedId: "acme", ...fields } },
    );
    expect(upsertUserGroups).toEqual({ userErrors: [], results: [{ userGroup: fields }] });
  }
  return tenant;
}

test("the history has each field, and restores it", async () => {
  const tenant = await createChangedGroup();
  const by = '{ providedId: "acme" }';
  const { userGroup } = await run(
    tenant,
    `{ userGroup(by: ${by}) { ${SELECTION} history { nodes { ${SELECTION} } } } }`,
  );
  expect(userGroup).toEqual({ ...CURRENT, history: { nodes: [FORMER] } });
  const { restoreUserGroup } = await run(
    tenant,
    `mutation { restoreUserGroup(input: { by: ${by}, version: 1 }) { userGroup { ${SELECTION} } } }`,
  );
  expect(restoreUserGroup).toEqual({ userGroup: FORMER });
});

test.each(["jsonl", "csv"] as const)("an export as %s and its import keep each field", async (format) => {
  const groups = commands.at(`fields.${format}`);
  await (await createChangedGroup()).export({ groups });
  const other = await commands.createTenant();
  expect(await other.import({ groups })).toMatchObject({ code: 0 });
  expect(await run(other, `{ userGroup(by: { providedId: "acme" }) { ${SELECTION} } }`)).toEqual({
    userGroup: CURRENT,
  });
});

test("an account's export has each field, also of the history", async () => {
  const { accountId: id, account } = await createChangedGroup();
  const files = exportAccount(commands.service.database, { id, name: account.name, createdAt: new Date() });
  const read = async (file: string) => {
    const lines: string[] = [];
    for (const { name, pages } of files)
      if (name === file) for await (const page of pages) lines.push(...page);
    return lines.map((line) => JSON.parse(line));
  };
  expect(await read("user-groups")).toEqual([expect.objectContaining(CURRENT)]);
  expect(await read("user-group-history")).toEqual([expect.objectContaining(FORMER)]);
});
