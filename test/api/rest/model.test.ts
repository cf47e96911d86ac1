import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/domain/shared/json.js";
import { mergePatch } from "../../support/rest/merge-patch.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { type RestFixture, useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();

interface ModelGroup {
  name: string;
  properties: JsonValue;
  token: string;
  teamId: number;
  version: number;
}

/** The expected state of the service, by tenant and external ID. */
type Model = Map<string, ModelGroup>;

interface Tenant {
  readonly key: string;
  readonly tag: "Customer" | "Testing";
}

interface Real {
  readonly fixture: RestFixture;
  readonly tenants: readonly Tenant[];
  /** Every token ever issued, to any tenant. */
  readonly tokens: string[];
}

const ids = fc.constantFrom("a", "b", "ünï 🙂");
const names = fc
  .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
  .filter((name) => !name.includes("\u0000"));
const properties = fc.option(
  fc
    .dictionary(fc.string({ maxLength: 5, unit: "grapheme-ascii" }), fc.jsonValue({ maxDepth: 2 }))
    .map(storable),
);
const tenantIndex = fc.nat(3);

const commands = [
  fc
    .tuple(tenantIndex, ids, names, properties)
    .map(([tenant, id, name, values]) => get(tenant, id, name, values)),
  fc
    .tuple(
      tenantIndex,
      ids,
      fc.record({ name: names, properties }, { requiredKeys: [] }),
      fc.boolean(),
      fc.nat(9),
    )
    .map(([tenant, id, changes, isPatch, version]) => put(tenant, id, changes, { isPatch, version })),
  fc.tuple(tenantIndex, fc.nat(), fc.nat(5)).map(([tenant, pick, version]) => rotate(tenant, pick, version)),
  fc
    .tuple(tenantIndex, fc.nat(), fc.option(ids, { nil: undefined }), fc.nat(3))
    .map(([tenant, pick, id, version]) => remove(tenant, pick, id, version)),
];

test("any sequence of calls, over both environments of two accounts, behaves like the model", async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (sequence) => {
      const fixture = rest();
      const tenants = await createTenants(fixture);
      const setup = () => ({ model: new Map<string, ModelGroup>(), real: { fixture, tenants, tokens: [] } });
      await fc.asyncModelRun(setup, sequence);
    }),
    { numRuns: 20 },
  );
});

function get(index: number, id: string, name: string, values: JsonValue): fc.AsyncCommand<Model, Real> {
  return command(`GET ${index} ${id}`, async (model, real) => {
    const reply = await call(real, index, "GET", { user_group_id: id, name, properties: values });
    const known = model.get(`${index} ${id}`);
    const { token, team_id } = userGroupOf(reply);
    const group = known ?? { name, properties: values, token, teamId: team_id, version: 1 };
    const user_group = { ...view(id, group), properties: group.properties };
    expect(reply.headers["etag"]).toBe(`"${group.teamId}-${group.version}"`);
    expect(reply.body).toEqual({ success: 1, new_user_group: known === undefined, user_group });
    if (!known) real.tokens.push(token);
    model.set(`${index} ${id}`, group);
  });
}

/** @param version sent as If-Match; 0 for none */
function put(
  index: number,
  id: string,
  changes: { readonly name?: string; readonly properties?: JsonValue },
  { isPatch, version }: { readonly isPatch: boolean; readonly version: number },
): fc.AsyncCommand<Model, Real> {
  return command(`PUT ${index} ${id} ${isPatch} ${version}`, async (model, real) => {
    const reply = await call(
      real,
      index,
      "PUT",
      { user_group_id: id, ...changes },
      {
        ...(isPatch && { "content-type": "application/merge-patch+json" }),
        ...ifMatch(model.get(`${index} ${id}`), version),
      },
    );
    const group = model.get(`${index} ${id}`);
    if (!group || (version > 0 && version !== group.version)) {
      expect(reply.status).toBe(group ? 412 : 404);
      return;
    }
    const { name = group.name, properties = group.properties } = changes;
    const after = isPatch && "properties" in changes ? mergePatch(group.properties, properties) : properties;
    if (name !== group.name || !isDeepStrictEqual(after, group.properties)) group.version += 1;
    Object.assign(group, { name, properties: after });
    const tag = { api_environment_tag: real.tenants[index]?.tag };
    const user_group = { ...view(id, group), properties: group.properties, ...tag };
    expect(reply.body).toEqual({ success: 1, user_group });
    expect(reply.headers["etag"]).toBe(`"${group.teamId}-${group.version}"`);
  });
}

/** If-Match with a version of a group, which may not exist; no header for 0. */
function ifMatch(group: ModelGroup | undefined, version: number) {
  return version === 0 ? {} : { "if-match": `"${group?.teamId ?? 1}-${version}"` };
}

/** @param version sent as If-Match; 0 for none */
function rotate(index: number, pick: number, version: number): fc.AsyncCommand<Model, Real> {
  return command(`POST ${index} ${pick} ${version}`, async (model, real) => {
    const token = pickToken(real, pick);
    const found = [...model].find(([key, group]) => key.startsWith(`${index} `) && group.token === token);
    const reply = await call(real, index, "POST", { current_token: token }, ifMatch(found?.[1], version));
    if (!found || (version > 0 && version !== found[1].version)) {
      expect(reply.status).toBe(found ? 412 : 404);
      return;
    }
    const [key, group] = found;
    group.token = userGroupOf(reply).token;
    group.version += 1;
    expect(real.tokens).not.toContain(group.token);
    real.tokens.push(group.token);
    const tag = { api_environment_tag: real.tenants[index]?.tag };
    expect(reply.body).toEqual({ success: 1, user_group: { ...view(key.slice(2), group), ...tag } });
    expect(reply.headers["etag"]).toBe(`"${group.teamId}-${group.version}"`);
  });
}

/** @param version sent as If-Match; 0 for none */
function remove(
  index: number,
  pick: number,
  id: string | undefined,
  version: number,
): fc.AsyncCommand<Model, Real> {
  return command(`DELETE ${index} ${pick} ${id} ${version}`, async (model, real) => {
    const token = pickToken(real, pick);
    const found = [...model].find(([key, group]) => key.startsWith(`${index} `) && group.token === token);
    const body = { current_token: token, user_group_id: id };
    const reply = await call(real, index, "DELETE", body, ifMatch(found?.[1], version));
    if (!found) expect(reply.status).toBe(404);
    else if (version > 0 && version !== found[1].version) expect(reply.status).toBe(412);
    else if (id !== undefined && found[0] !== `${index} ${id}`) expect(reply.status).toBe(409);
    else {
      expect(reply.body).toEqual({ success: 1 });
      model.delete(found[0]);
    }
  });
}

function view(provided_id: string, { teamId: team_id, token, name }: ModelGroup) {
  return { team_id, token, name, provided_id };
}

function command(
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
): fc.AsyncCommand<Model, Real> {
  return { check: () => true, run, toString: () => name };
}

async function createTenants({ service }: RestFixture): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (const account of [await service.createAccount(), await service.createAccount()]) {
    for (const tag of ["Customer", "Testing"] as const) {
      const { secret } = await account.createKey({ environment: tag, scope: "write" });
      tenants.push({ key: secret, tag });
    }
  }
  return tenants;
}

async function call(
  real: Real,
  index: number,
  method: string,
  body: object,
  headers = {},
): Promise<RestReply> {
  return callRest(`${real.fixture.service.url}/api/user`, method, real.tenants[index]?.key, body, headers);
}

function pickToken({ tokens }: Real, pick: number): string {
  return tokens[pick % Math.max(tokens.length, 1)] ?? "ugt_none";
}

/** JSON has no -0, a key `__proto__` does not survive every copy of an object, and whole numbers beyond 2^53 are rejected. */
function storable(values: object): JsonValue {
  const text = JSON.stringify(values).replaceAll("\\u0000", "").replaceAll("__proto__", "proto");
  return JSON.parse(text, (_key, value) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? String(value)
      : value,
  );
}
