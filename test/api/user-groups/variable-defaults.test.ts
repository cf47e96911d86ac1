import { describe, expect, onTestFinished, test } from "vitest";
import { createViewer, type ViewerGroup } from "../../../clients/typescript/src/browser.js";
import { createSession, ENCRYPTION_KEY } from "../../support/embed/sessions.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import {
  createTemplateSession,
  PUBLIC_URL,
  saving,
  withSecret,
} from "../../support/session-templates/templates.js";

const graphql = await startGraphql({ encryptionKey: ENCRYPTION_KEY, publicUrl: PUBLIC_URL });
const { keys, mutate, run, service } = graphql;

const setSchema = async (mode: string, properties: object): Promise<void> => {
  const schema = { type: "object", properties };
  expect((await mutate("setPropertySchema", { schema, mode })).userErrors).toEqual([]);
};
const read = (providedId: string): Promise<Data> =>
  run(`{ userGroup(by: { providedId: "${providedId}" }) { properties variableDefaults } }`).then(
    ({ userGroup }) => userGroup,
  );
const readsOfSchema = () => service.statements.filter((text) => text.includes("property_schema"));

describe("variableDefaults", () => {
  const text =
    '{"__proto__":{"default":1},"region":{"default":"eu"},"none":{"default":null},"big":{"default":1e21},' +
    '"theme":{"type":"object","properties":{"main":{"default":"#abc"}}},"seats":{"type":"integer"}}';

  test("are those of top-level properties, in WARN and ENFORCE, and never stored", async () => {
    await createUserGroup(graphql, "plain", { properties: { region: "us" } });
    await createUserGroup(graphql, "empty");
    const defaults = JSON.parse('{"__proto__":1,"region":"eu","none":null,"big":1e21}');
    for (const [mode, variableDefaults] of [
      ["OFF", null],
      ["WARN", defaults],
      ["ENFORCE", defaults],
      ["OFF", null],
    ]) {
      await setSchema(mode, JSON.parse(text));
      expect(await read("plain")).toStrictEqual({ properties: { region: "us" }, variableDefaults });
      expect(await read("empty")).toStrictEqual({ properties: null, variableDefaults });
    }
    await setSchema("WARN", { region: {}, theme: { properties: { main: { default: 1 } } } });
    expect(await read("plain")).toStrictEqual({ properties: { region: "us" }, variableDefaults: null });
  });

  test("take one statement for a page of groups, and none where they are not selected", async () => {
    await setSchema("ENFORCE", JSON.parse(text));
    const { token } = await createUserGroup(graphql, "front");
    const readList = async (field: string) => {
      service.statements.length = 0;
      const { userGroups } = await run(`{ userGroups(first: 3) { nodes { id ${field} } } }`);
      expect(userGroups.nodes).toHaveLength(3);
      return readsOfSchema().length;
    };
    expect(await readList("variableDefaults")).toBe(1);
    expect(await readList("properties")).toBe(0);
    service.statements.length = 0;
    await graphql.front(token, "{ viewer { userGroup { id name properties mapping { schemaId } } } }");
    await run('{ userGroup(by: { providedId: "front" }) { id name properties } }');
    expect(readsOfSchema()).toEqual([]);
  });
});

test("a page gets them below properties and session variables, also while it is open", async () => {
  await setSchema("WARN", {
    region: { default: "eu" },
    color: { default: "red" },
    role: { default: "none" },
  });
  await createUserGroup(graphql, "page", { properties: { color: null } });
  const variables = { role: "viewer" };
  const session = await createSession(service, keys.embed, { user_group_id: "page", variables });
  const viewer = createViewer({ url: service.url, getSession: () => session });
  const expected = { region: "eu", color: null, role: "viewer" };
  expect((await viewer.read()).variables).toStrictEqual(expected);
  let shown: ViewerGroup | undefined;
  onTestFinished(viewer.watch(({ userGroup }) => (shown = userGroup)));
  await expect.poll(() => shown?.variables).toStrictEqual(expected);
  const change = async (properties: object | null) =>
    mutate("updateUserGroup", { by: { providedId: "page" }, properties });
  await change({ region: "us", role: "other" });
  await expect.poll(() => shown?.variables).toStrictEqual({ region: "us", color: "red", role: "viewer" });
  await setSchema("WARN", { region: { default: "asia" } });
  await change(null);
  await expect.poll(() => shown?.variables).toStrictEqual({ region: "asia", role: "viewer" });
  expect(shown?.properties).toBeNull();
});

test("a default fills no reference of a session template", async () => {
  await setSchema("ENFORCE", { region: { default: "eu" } });
  await createUserGroup(graphql, "tool");
  const claims = { region: "{{ userGroup.properties.region }}" };
  expect(await saving(graphql, "createSessionTemplate")(withSecret("tool", { claims }))).toEqual([]);
  const reply = await createTemplateSession(service.url, "tool", { user_group_id: "tool" }, keys.embed);
  expect(reply).toMatchObject({
    status: 400,
    body: { error: { field: "claims.region", message: expect.stringContaining("which is missing") } },
  });
});
