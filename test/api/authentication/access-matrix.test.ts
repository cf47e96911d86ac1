import { randomBytes } from "node:crypto";
import { buildSchema } from "graphql";
import { describe, expect, test } from "vitest";
import { printSdl } from "../../../src/graphql/server/schema.js";
import { openApiDocument } from "../../../src/http/openapi/document.js";
import { SCOPED_CALLERS, type ScopedCaller } from "../../support/access/caller-kinds.js";
import { type AccessRow, type Call, expectedOutcome, MUTATIONS, READS } from "../../support/access/rows.js";
import {
  type AccessIds,
  type AccessTenant,
  createAccessTenants,
  inEveryWay,
  unknownIds,
} from "../../support/access/tenants.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startService, type TestService } from "../../support/service/test-service.js";

const encryptionKey = randomBytes(32);
const graphql = await startGraphql({ encryptionKey, console: true });
const { service } = graphql;
const ROWS: readonly AccessRow[] = [...READS, ...MUTATIONS];
const NAMED = ROWS.map((row, index) => [`${row.of} #${index}`, row] as const);
const TENANTS = [0, 1, 2, 3];
const ADMIN: ScopedCaller = { kind: "an API key", credential: "admin" };
const FRONT_END: ScopedCaller = { kind: "a user group token", credential: "token" };
/** Another process, whose role bypasses row-level security: only the statements keep tenants apart. */
const unprotected = await startService({ encryptionKey, use: service, bypassRowSecurity: true });
const probe = unknownIds(1);
const creating = NAMED.filter(([, row]) => JSON.stringify(row.call(probe, probe)).includes(probe.newId));
const tenants = await createAccessTenants(
  graphql,
  creating.map(([name]) => name),
);

test("every root field of the schema and every method of the REST API that requires a key has a row", () => {
  const schema = buildSchema(printSdl());
  const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = types.flatMap((type) => Object.keys(type?.getFields() ?? {}));
  expect([...new Set(ROWS.map(({ of }) => of))].toSorted()).toEqual([...fields, ...restMethods()].toSorted());
});

describe.each(NAMED)("%s", (name, row) => {
  test.each(SCOPED_CALLERS)("on its own data, with $kind ($credential)", async (caller) => {
    // Each account and each environment once.
    const some = [tenants[0], tenants[3]].filter((tenant) => tenant !== undefined);
    await Promise.all(
      some.map(async (tenant) => {
        const writes = MUTATIONS.includes(row) || row.of.includes("/api/user") || row.of.startsWith("DELETE");
        const outcome = expectedOutcome(row, caller);
        const ids = writes && outcome === "ok" ? await tenant.fresh(row.of) : tenant.ids;
        const reply = await send(row.call(ids, ids), tenant, caller, service);
        const context = `${tenant.mark} ${name} with ${caller.kind}: ${reply}`;
        expect(outcomeOf(reply), context).toBe(outcome);
        for (const { mark } of tenants) if (mark !== tenant.mark) expect(reply, context).not.toContain(mark);
        if (caller.credential === "read") expect(reply).not.toContain("ugt_");
      }),
    );
  });
});

describe("IDs of the other environment and of another account, without row-level security", () => {
  test.each(TENANTS)("look to tenant %i like unknown IDs and stay unchanged", async (index) => {
    const tenant = tenants[index];
    if (!tenant) throw new Error("There is no such tenant.");
    const others = tenants.filter(
      (other) => (other.accountId === tenant.accountId) !== (other.environment === tenant.environment),
    );
    expect(others).toHaveLength(2);
    const before = await stateOfOthers(tenant);
    for (const [name, row] of NAMED) {
      for (const caller of row.of === "userGroupChanged" ? [ADMIN, FRONT_END] : [ADMIN]) {
        const ask = async (ids: AccessIds) => {
          const reply = await send(row.call(ids, tenant.ids), tenant, caller, unprotected);
          return withoutIds(reply, ids);
        };
        const expected = [];
        for (const ids of distinctCalls(row, unknownIds(tenant.accountId), tenant.ids))
          expected.push(await ask(ids));
        for (const other of others) {
          const known = { ...other.ids, newId: other.newIdOf(name) };
          for (const [way, ids] of distinctCalls(row, known, tenant.ids).entries()) {
            const reply = await ask(ids);
            expect(reply, `${name} of ${other.mark}`).toBe(expected[way]);
            for (const { mark } of others) expect(reply, name).not.toContain(mark);
          }
        }
      }
    }
    expect(await stateOfOthers(tenant)).toEqual(before);
  });
});

/** The methods that the OpenAPI document says require an API key, with their paths. */
function restMethods(): string[] {
  return Object.entries(openApiDocument("0.0.0").paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      // The document requires a key, an operation may not. HEAD is answered like GET.
      JSON.stringify(Object(operation).security) !== "[]" && !["head", "parameters"].includes(method)
        ? [`${method.toUpperCase()} ${path}`]
        : [],
    ),
  );
}

/** The IDs in every way that makes another call. */
function distinctCalls(row: AccessRow, ids: AccessIds, ownIds: AccessIds): readonly AccessIds[] {
  const calls = inEveryWay(ids).map((way) => [JSON.stringify(row.call(way, ownIds)), way] as const);
  return [...new Map(calls).values()];
}

/** @returns the reply as JSON, without values that differ each time */
async function send(
  call: Call,
  tenant: AccessTenant,
  caller: ScopedCaller,
  { url }: TestService,
): Promise<string> {
  const headers = tenant.headersOf(caller);
  if ("subscription" in call) {
    const stream = await openEventStream(url, headers, call.subscription);
    stream.close();
    return textOf(stream.body ?? { data: { stream: stream.status } });
  }
  const { body } =
    "query" in call
      ? await callRest(`${url}/graphql`, "POST", undefined, { query: call.query }, headers)
      : await callRest(
          `${url}${encodeURI(call.path).replaceAll("#", "%23")}`,
          call.method,
          undefined,
          call.body,
          headers,
        );
  return textOf(body);
}

function textOf(body: unknown): string {
  return JSON.stringify(body, (key, value) => (/^request_?id$/i.test(key) ? undefined : value));
}

/** Replaces IDs that a reply repeats, and new values, by fixed placeholders. */
function withoutIds(reply: string, ids: AccessIds): string {
  const compared = reply.replaceAll(/"ugt_\w+"|"team_id":\d+/g, "<new>");
  return Object.values(ids).reduce<string>(
    (text, id) => text.replaceAll(`"${id}"`, "<id>").replaceAll(`\\"${id}\\"`, "<id>"),
    compared,
  );
}

/** A caller's result: "ok" for data, "null" for none, or the code of the first error. */
function outcomeOf(reply: string): string {
  const { data, errors, success, error } = JSON.parse(reply);
  if (success !== undefined) return success === 1 ? "ok" : error.code.toUpperCase();
  if (errors) return errors[0].extensions.code;
  const [, userError] = /"userErrors":\[\{"code":"(\w+)"/.exec(reply) ?? [];
  return userError ?? (isEmpty(data) ? "null" : "ok");
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.values(value).every(isEmpty));
}

/** Every row of other tenants in all tables with tenant data. */
async function stateOfOthers({ accountId, environment }: AccessTenant): Promise<Record<string, unknown>> {
  const { query } = service;
  const tables =
    await query(`SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attname = 'environment' ORDER BY relname`);
  expect(tables.length).toBeGreaterThanOrEqual(11);
  const state: Record<string, unknown> = {};
  for (const { name } of tables) {
    state[name] = await query(
      `SELECT (to_jsonb(${name}) - 'last_used_at')::text AS row FROM ${name}
        WHERE NOT (account_id = $1 AND environment::text = $2) ORDER BY 1`,
      [accountId, environment],
    );
  }
  return state;
}
