import { randomUUID } from "node:crypto";
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { beforeAll, describe, expect, test } from "vitest";
import { SCOPES, type Scope } from "../../../src/domain/accounts/caller.js";
import { DOCUMENT_TYPES, FIELDS, FRONT_END_FIELDS } from "../../support/access/fields.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { schema } from "../../support/graphql/list-cases.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";
import { createEndpoint } from "../../support/webhooks/operations.js";

const graphql = await startGraphql();
const { keys, service } = graphql;
let token: string;

const TYPES = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith("__"),
);

beforeAll(async () => {
  await createEndpoint(graphql, "fields");
  ({ token } = await createUserGroup(graphql, "fields", {
    properties: { a: 1 },
    mapping: [entry("s", "sales")],
  }));
  await graphql.mutate("createSessionTemplate", {
    name: "fields",
    algorithm: "HS256",
    secret: "the secret of a dashboard tool",
    claims: {},
  });
  await graphql.mutate("updateUserGroups", {
    userGroups: [{ providedId: "fields" }],
    propertiesPatch: { a: 2 },
    bulkChangeId: randomUUID(),
  });
  await changeSite(graphql, "put", { site: "fields", document: { ...goodSite, favicon: undefined } });
});

/** A field as selected: with its required arguments and, if it is composite, one field. */
function selected(type: string, text: string): string {
  const field = fieldsOf(type)[text.split("(")[0] ?? ""];
  return field && isCompositeType(getNamedType(field.type)) ? `${text} { __typename }` : text;
}

function fieldsOf(type: string): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  const found = schema.getType(type);
  return isObjectType(found) ? found.getFields() : {};
}

const names = (text: string) =>
  text === "" ? [] : text.split(" ").map((field) => field.split("(")[0] ?? "");

/** The reply, and which of its values are null. */
async function query(text: string, scope: Scope): Promise<{ errors: string[]; nulls: unknown; data: Data }> {
  const { body } = await callGraphql(service.url, keys[scope], text);
  const { data = null, errors = [] } = Object(body);
  return { errors: errors.map((error: Data) => error.extensions.code), nulls: nullsOf(data), data };
}

function nullsOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value === null;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, nullsOf(each)]));
}

/** The value at the end of a chain of objects and lists that each have one member. */
function leafOf(value: Data): unknown {
  if (typeof value !== "object" || value === null) return value;
  const [first] = Object.values(value);
  return first === undefined ? value : leafOf(first);
}

test("every type has a row, or can only be reached by a mutation or in a site's document", () => {
  // Payloads of mutations and their results; the access matrix has the scopes of mutations.
  const ofMutations = /(?:Payload|Result)$/;
  const others = ["Query", "Mutation", "Subscription", "UserError", "UserGroupChange", ...DOCUMENT_TYPES];
  const types = TYPES.map(({ name }) => name).filter((name) => !ofMutations.test(name));
  expect([...Object.keys(FIELDS), ...others].toSorted()).toEqual(types.toSorted());
});

describe.each(Object.entries(FIELDS))("%s", (type, { reach, least, fields, restricted = {} }) => {
  test("has a row for every field", () => {
    const listed = [...names(fields), ...Object.keys(restricted)];
    expect(listed.toSorted()).toEqual(Object.keys(fieldsOf(type)).toSorted());
  });

  test(`is read with ${least} scope and those above, field by field like an admin`, async () => {
    const all = fields.split(" ").map((field) => selected(type, field));
    // Depends on who asked before.
    const steady = all.filter((field) => `${type}.${field}` !== "ApiKey.lastUsedAt");
    const expected = await query(reach(steady.join(" ")), "admin");
    expect(expected.errors).toEqual([]);
    for (const scope of SCOPES) {
      const reply = await query(reach(all.join(" ")), scope);
      if (SCOPES.indexOf(scope) < SCOPES.indexOf(least)) {
        expect(reply, scope).toMatchObject({ errors: ["FORBIDDEN"] });
        expect(JSON.stringify(reply.data), scope).toMatch(/^(null|\{"\w+":null\})$/);
      } else {
        expect(reply.errors, scope).toEqual([]);
        expect((await query(reach(steady.join(" ")), scope)).nulls, scope).toEqual(expected.nulls);
      }
    }
  });

  const rows = Object.entries(restricted);
  test.runIf(rows.length > 0).each(rows)("has the restricted field %s", async (field, { least, below }) => {
    for (const scope of SCOPES) {
      const { errors, data } = await query(reach(selected(type, field)), scope);
      if (SCOPES.indexOf(scope) >= SCOPES.indexOf(least)) {
        expect(errors, scope).toEqual([]);
        expect(leafOf(data), scope).not.toBeNull();
      } else {
        expect(errors, scope).toEqual(below === "null" ? [] : [below]);
        expect(leafOf(data), scope).toBeNull();
      }
    }
  });
});

describe("a front end", () => {
  test("reaches only types with a row", () => {
    const reached = Object.entries(FRONT_END_FIELDS).flatMap(([type, { allowed }]) =>
      names(allowed).flatMap((field) => {
        const result = getNamedType(fieldsOf(type)[field]?.type);
        return result && isCompositeType(result) ? [result.name] : [];
      }),
    );
    const roots = ["Query", "Mutation", "Subscription"];
    expect(Object.keys(FRONT_END_FIELDS).toSorted()).toEqual([...new Set([...roots, ...reached])].toSorted());
  });

  describe.each(Object.entries(FRONT_END_FIELDS))("%s", (type, { allowed }) => {
    test.each(Object.keys(fieldsOf(type)))("%s", async (field) => {
      const document = documentOf(type, field);
      const status = await statusOf(document);
      expect(status, document).toBe(names(allowed).includes(field) ? 200 : 403);
    });
  });
});

/** A document that selects the field, with a variable for each required argument. */
function documentOf(type: string, name: string): string {
  const required = (fieldsOf(type)[name]?.args ?? []).filter(isRequiredArgument);
  const args = required.map((argument) => `${argument.name}: $${argument.name}`).join(", ");
  const document =
    FRONT_END_FIELDS[type]?.reach(selected(type, args === "" ? name : `${name}(${args})`)) ?? "";
  const variables = required.map((argument) => `$${argument.name}: ${argument.type}`).join(", ");
  const complete = document.startsWith("{") ? `query ${document}` : document;
  return variables === "" ? complete : complete.replace("{", `(${variables}) {`);
}

async function statusOf(document: string): Promise<number> {
  const { url } = service;
  const authorization = `Bearer ${token}`;
  if (document.startsWith("subscription")) {
    const stream = await openEventStream(url, authorization, document);
    stream.close();
    return stream.status;
  }
  return (await callRest(`${url}/graphql`, "POST", undefined, { query: document }, { authorization })).status;
}
