import { createHash } from "node:crypto";
import { jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { exportAccount } from "../../../src/services/transfer/account-data.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { dumpDatabase } from "../../support/secrets/stored-secrets.js";
import {
  createTemplateSession,
  newToolSecret,
  PUBLIC_URL,
  saving,
  withKeys,
  withSecret,
} from "../../support/session-templates/templates.js";

const graphql = await startGraphql({ publicUrl: PUBLIC_URL });
const { account, keys, mutate, run, service, strangerKey } = graphql;
const create = saving(graphql, "createSessionTemplate");
const createInTesting = saving(graphql, "createSessionTemplate", keys.testing);
const update = saving(graphql, "updateSessionTemplate");

await createUserGroup(graphql, "acme", { properties: { region: "EU" } });

test("a template is created with every field, changed, and found by name and ID until it is deleted", async () => {
  const FIELDS =
    "id name description algorithm header claims lifetimeSeconds url hasSecret version issuer keySetUrl";
  const { secret, ...fields } = withSecret("metabase", {
    description: "Sales dashboard",
    header: { kid: "key-1", iss: "us" },
    claims: { params: { region: "{{ userGroup.properties.region }}" } },
    lifetimeSeconds: 60,
    url: "https://bi.example.com/embed/dashboard/{{ token }}",
  });
  const { sessionTemplate, warnings } = await mutate(
    "createSessionTemplate",
    { ...fields, secret },
    `sessionTemplate { ${FIELDS} } warnings`,
  );
  const ofKeys = { issuer: null, keySetUrl: null };
  const created = { ...fields, id: expect.any(String), hasSecret: true, version: 1, ...ofKeys };
  expect([sessionTemplate, warnings]).toEqual([created, []]);
  const { id } = sessionTemplate;
  const claims = { sub: "x", params: { region: "{{ userGroup.properties.region }}", plan: "gold" } };
  const changed = { by: { id }, expectedVersion: 1, name: "sales", lifetimeSeconds: 120, url: null, claims };
  expect(await update(changed)).toEqual([]);
  expect(await update(changed)).toEqual([
    "expectedVersion: The session template has version 2, not 1. Read it again.",
  ]);
  // What stays as it is needs no new version.
  expect(await update({ by: { id }, expectedVersion: 2, name: "sales", secret })).toEqual([]);
  const { byName, node, gone } = await run(`{
    byName: sessionTemplate(by: { name: "sales" }) { ${FIELDS} }
    node(id: "${id}") { ... on SessionTemplate { ${FIELDS} } }
    gone: sessionTemplate(by: { name: "metabase" }) { id }
  }`);
  expect([byName, gone]).toEqual([
    { ...created, name: "sales", lifetimeSeconds: 120, url: null, claims, version: 2 },
    null,
  ]);
  expect(node).toEqual(byName);
  expect(
    await mutate("deleteSessionTemplate", { by: { name: "sales" } }, "deletedSessionTemplateId"),
  ).toEqual({
    deletedSessionTemplateId: id,
    userErrors: [],
  });
  const { auditLog } = await run(
    `{ auditLog(filter: { subjectId: "${id}" }) { nodes { action changed subjectName subjectVersion } } }`,
  );
  expect(auditLog.nodes).toEqual([
    { action: "SESSION_TEMPLATE_DELETED", changed: [], subjectName: "sales", subjectVersion: 2 },
    {
      action: "SESSION_TEMPLATE_UPDATED",
      changed: ["name", "lifetimeSeconds", "url", "claims.params.plan", "claims.sub"],
      subjectName: "sales",
      subjectVersion: 2,
    },
    { action: "SESSION_TEMPLATE_CREATED", changed: [], subjectName: "metabase", subjectVersion: 1 },
  ]);
});

test("names are unique within an environment, also for concurrent requests", async () => {
  const selection = "sessionTemplate { name }";
  const both = await Promise.all(
    [1, 2].map(() => mutate("createSessionTemplate", withSecret("taken"), selection)),
  );
  expect(both.filter(({ sessionTemplate }) => sessionTemplate)).toHaveLength(1);
  const exists = { code: "SESSION_TEMPLATE_EXISTS", field: ["name"], message: expect.any(String) };
  expect(both.flatMap(({ userErrors }) => userErrors)).toEqual([exists]);
  expect(await create(withSecret("free"))).toEqual([]);
  const renamed = await mutate("updateSessionTemplate", { by: { name: "free" }, name: "taken" });
  expect(renamed.userErrors).toEqual([exists]);
  expect(await createInTesting(withSecret("taken"))).toEqual([]);
  for (const name of ["", "Upper", "a_b", "a/b", "x".repeat(65)])
    expect(await create(withSecret(name)), name).toEqual([
      expect.stringMatching("^name: .*1 to 64 characters"),
    ]);
});

test("an environment has at most 50, also for concurrent requests", async () => {
  const createForStranger = saving(graphql, "createSessionTemplate", strangerKey);
  const save = (index: number) => createForStranger(withSecret(`t${index}`));
  // They wait for each other: with all at once, the last would wait too long on a busy machine.
  for (let index = 0; index < 44; index += 1) expect(await save(index)).toEqual([]);
  const errors = await Promise.all(Array.from({ length: 8 }, (_, index) => save(44 + index)));
  expect(errors.filter(({ length }) => length === 0)).toHaveLength(6);
  expect(errors.flat()).toEqual(Array(2).fill(expect.stringContaining("at most 50 session templates")));
});

describe("a secret", () => {
  test("signs as its UTF-8 bytes, or as what its base64 stands for", async () => {
    const bytes = createHash("sha256").update(newToolSecret()).digest();
    for (const [name, secret, secretEncoding, key] of [
      ["as-text", bytes.toString("hex"), "TEXT", Buffer.from(bytes.toString("hex"))],
      ["as-base64", bytes.toString("base64"), "BASE64", bytes],
    ] as const) {
      expect(await create(withSecret(name, { secret, secretEncoding }))).toEqual([]);
      const { body } = await createTemplateSession(service.url, name, { user_group_id: "acme" }, keys.embed);
      expect((await jwtVerify(body.token, key)).protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
    }
  });

  test.each([
    ["15 bytes", { secret: newToolSecret(15) }, "must have at least 16 bytes"],
    ["1025 bytes", { secret: newToolSecret(1025) }, "must have at most 1024 bytes"],
    ["half of a character", { secret: `${newToolSecret()}\ud800` }, "unpaired surrogate"],
    ["no base64", { secret: `${newToolSecret()}!`, secretEncoding: "BASE64" }, "must be base64"],
    ["none", { secret: undefined }, "is required with HS256"],
    ["one with ES256", { algorithm: "ES256" }, "must be omitted"],
  ])("is refused: %s", async (_, fields, message) => {
    expect(await create(withSecret("refused", fields))).toEqual([
      expect.stringMatching(new RegExp(`^secret: secret .*${message}`)),
    ]);
  });

  test("of fewer than 32 bytes is accepted with a warning", async () => {
    const warningsOf = async (bytes: number) => {
      const input = withSecret(`bytes-${bytes}`, { secret: newToolSecret(bytes) });
      return (await mutate("createSessionTemplate", input, "warnings")).warnings;
    };
    expect(await warningsOf(16)).toEqual([expect.stringContaining("has 16 bytes; 32 or more are better")]);
    expect(await warningsOf(32)).toEqual([]);
  });

  test("must be sent again for another algorithm or another origin of the URL", async () => {
    const at = (url: string | null) => ({ by: { name: "moving" }, url });
    const secret = newToolSecret();
    const [here, elsewhere] = ["https://bi.example.com/{{ token }}", "https://evil.example/{{ token }}"];
    expect(await create(withSecret("moving", { secret, url: here }))).toEqual([]);
    const again = ["secret: secret must be sent again when tokens go to another origin."];
    expect(await update(at(elsewhere))).toEqual(again);
    expect(await update(at("https://bi.example.com:444/{{ token }}"))).toEqual(again);
    expect(await update(at("https://bi.example.com/other#{{ token }}"))).toEqual([]);
    // Not in two steps either.
    expect(await update(at(null))).toEqual([]);
    expect(await update(at(elsewhere))).toEqual(again);
    expect(await update({ ...at(elsewhere), secret })).toEqual([]);
    expect(await update({ by: { name: "moving" }, algorithm: "ES256" })).toEqual([]);
    expect(await update({ by: { name: "moving" }, algorithm: "HS256" })).toEqual([
      "secret: secret is required when the algorithm becomes HS256.",
    ]);
    expect(await service.query("SELECT secret_lookup FROM session_template WHERE name = 'moving'")).toEqual([
      { secret_lookup: null },
    ]);
  });

  test("of the other environment is refused, in any spelling and in concurrent requests", async () => {
    const elsewhere = ["secret: secret must not be that of a template in the other environment."];
    const secret = newToolSecret();
    expect(await create(withSecret("own", { secret }))).toEqual([]);
    expect(await create(withSecret("own-again", { secret }))).toEqual([]);
    expect(await createInTesting(withSecret("same", { secret }))).toEqual(elsewhere);
    // HMAC pads a key with zeros.
    const padded = Buffer.concat([Buffer.from(secret), Buffer.alloc(3)]).toString("base64");
    const spelled = { secret: padded, secretEncoding: "BASE64" };
    expect(await createInTesting(withSecret("padded", spelled))).toEqual(elsewhere);
    expect(await createInTesting(withSecret("other"))).toEqual([]);
    const updateInTesting = saving(graphql, "updateSessionTemplate", keys.testing);
    expect(await updateInTesting({ by: { name: "other" }, secret })).toEqual(elsewhere);
    const raced = newToolSecret();
    const errors = await Promise.all(
      [create, createInTesting].map((save) => save(withSecret("raced", { secret: raced }))),
    );
    expect(errors.toSorted((a, b) => a.length - b.length)).toEqual([[], elsewhere]);
    // Another account may have it.
    const updateForStranger = saving(graphql, "updateSessionTemplate", strangerKey);
    expect(await updateForStranger({ by: { name: "t1" }, secret })).toEqual([]);
  });

  test("is never in a reply, the audit log, an export, the log or a readable column", async () => {
    const { secret, ...fields } = withSecret("quiet");
    const input = { ...fields, secret };
    const replies = [
      await graphql.call(
        "mutation ($input: CreateSessionTemplateInput!) { createSessionTemplate(input: $input) { sessionTemplate { id name hasSecret header claims } warnings userErrors { message } } }",
        { input },
      ),
      await graphql.call(
        "mutation ($input: CreateSessionTemplateInput!) { createSessionTemplate(input: $input) { userErrors { message } } }",
        { input },
      ),
      await graphql.call(
        "{ sessionTemplates { nodes { name hasSecret } } auditLog { nodes { changed subjectName } } }",
      ),
      await createTemplateSession(service.url, "quiet", { user_group_id: "acme" }, keys.embed),
    ].map((reply) => JSON.stringify(reply));
    const exported: string[] = [];
    const { accountId: id, name } = account;
    for (const { pages } of exportAccount(service.database, { id, name, createdAt: new Date() }))
      for await (const lines of pages) exported.push(...lines);
    const stored: string[] = [];
    for await (const { text } of dumpDatabase(service.owner)) stored.push(text);
    expect(replies[0]).toContain('"hasSecret":true');
    for (const text of [...replies, ...exported, ...stored, ...service.log]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString("hex"));
    }
  });
});

test.each(["crit", "jku", "jwk", "x5u", "x5c", "zip", "b64", "typ", "alg", "__proto__"])(
  "the header member %s is refused",
  async (name) => {
    const header = JSON.parse(`{ ${JSON.stringify(name)}: "x" }`);
    expect(await create(withSecret("header", { header }))).toEqual([
      `header.${name}: header.${name} must be omitted: only \`kid\` and \`iss\` can be set.`,
    ]);
  },
);

test("the header has constant texts, and no member with ES256", async () => {
  const errors = await create(withSecret("header", { header: { kid: "{{ userGroup.name }}", iss: 1 } }));
  expect(errors).toEqual([expect.stringMatching(/^header\.kid: .*must be constant/)]);
  for (const name of ["kid", "iss"])
    expect(await create({ ...withKeys("header"), header: { [name]: "x" } })).toEqual([
      expect.stringMatching(new RegExp(`^header\\.${name}: .*the service sets it with ES256`)),
    ]);
});

test.each([
  "javascript:alert('{{ token }}')",
  "http://bi.example.com/{{ token }}",
  "HTTPS://BI.example.com/{{ token }}",
  "https://user:password@bi.example.com/{{ token }}",
  "https://user@bi.example.com/{{ token }}",
  "https://{{ token }}/",
  "https://{{ token }}.example.com/",
  "https://bi.example.com:{{ token }}/",
  "https://bi.example.com{{ token }}/",
  "https://{{ userGroup.name }}/{{ token }}",
  "https://bi.example.com/{{ userGroup.name }}/{{ token }}",
  "https://bi.example.com/{{ token }}/{{ token }}",
  "https://bi.example.com/{{ token | uri }}",
  "https://bi.example.com/",
  "https://bi.example.com\\@evil.example/{{ token }}",
  " https://bi.example.com/{{ token }}",
  "https://bi.example.com/\n{{ token }}",
  "//bi.example.com/{{ token }}",
])("the URL %j is refused", async (url) => {
  expect(await create(withSecret("url", { url }))).toEqual([expect.stringMatching(/^url: url must /)]);
});

test("ES256 needs PUBLIC_URL", async () => {
  const elsewhere = await startGraphql();
  const createElsewhere = saving(elsewhere, "createSessionTemplate");
  const refused = ["algorithm: algorithm must be HS256: for ES256, the operator must set `PUBLIC_URL`."];
  expect(await createElsewhere(withKeys("cube"))).toEqual(refused);
  expect(await createElsewhere(withSecret("cube"))).toEqual([]);
  const change = saving(elsewhere, "updateSessionTemplate");
  expect(await change({ by: { name: "cube" }, algorithm: "ES256" })).toEqual(refused);
});
