import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { usePackageClient } from "../support/clients/package-client.js";
import { ENCRYPTION_KEY, encodePart, resign } from "../support/embed/sessions.js";
import {
  compileGuides,
  createOwnData,
  guideFiles,
  hasPostgraphile,
  type OwnData,
  serve,
} from "./support/own-data.js";

const ROWS = {
  acme: [
    { product: "bolts", amount: 120 },
    { product: "nuts", amount: 35 },
  ],
  globex: [{ product: "bolts", amount: 7 }],
};
const valuesOf = (rows: readonly { product: string; amount: number }[]) =>
  rows.map(({ product, amount }) => `('${product}', ${amount})`).join();
const SALES_QUERY = "{ allSales { nodes { product amount } } }";

const fixture = usePackageClient({ encryptionKey: ENCRYPTION_KEY });
let data: OwnData;
let guides: Awaited<ReturnType<typeof compileGuides>>;
/** The guides' programs. */
const apps = new Map<string, Awaited<ReturnType<typeof serve>>>();

beforeAll(async () => {
  const { service, account, client } = fixture();
  data = await createOwnData({ acme: valuesOf(ROWS.acme), globex: valuesOf(ROWS.globex) });
  vi.stubEnv("USER_GROUPS_URL", service.url);
  vi.stubEnv("USER_GROUPS_AUDIENCE", `${account.name}/Customer`);
  vi.stubEnv("SALES_DATABASE_URL", data.urls.shared);
  const warehouses = { "acme-warehouse": data.urls.acme, "globex-warehouse": data.urls.globex };
  vi.stubEnv("WAREHOUSES", JSON.stringify(warehouses));
  for (const providedId of [...Object.keys(warehouses), "forgotten-warehouse"])
    await client.dataSources.create({ providedId, name: providedId });
  for (const providedId of ["acme", "globex"]) {
    const mapping = { sales: `${providedId}-warehouse` };
    await client.userGroups.getOrCreate({ providedId, name: providedId, mapping });
  }
  // One connection, so that customers share it.
  guides = await compileGuides({ "max: 10": "max: 1" });
  for (const name of ["sales", "warehouse", ...(hasPostgraphile ? ["graphql"] : [])])
    apps.set(name, await serve((await guides.load(name)).app));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const app of apps.values()) app.close();
  await guides?.remove();
  await data?.close();
});

/** Creates a session as the guides say. */
async function createToken(
  providedId: string,
  variables: object = { customer: providedId },
): Promise<string> {
  return (await fixture().client.userGroups.createEmbedSession({ providedId, variables })).token;
}

/** Requests the rows of a program as a page does. */
async function read(name: string, token?: string): Promise<{ status: number; rows: unknown; text: string }> {
  const headers = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const { url = "" } = apps.get(name) ?? {};
  const reply =
    name === "graphql"
      ? await fetch(`${url}/graphql`, {
          method: "POST",
          headers,
          body: JSON.stringify({ query: SALES_QUERY }),
        })
      : await fetch(`${url}/sales`, { headers });
  const text = await reply.text();
  const body = JSON.parse(text);
  return { status: reply.status, rows: body.data?.allSales?.nodes ?? body, text };
}

test("the guides' programs compile, and one of them uses the connection that customers share below", () => {
  expect(guides.typeErrors).toEqual([]);
  expect(guideFiles.get("sales.ts")).toContain("max: 10");
});

describe.each([
  { name: "sales", isRun: true },
  { name: "warehouse", isRun: true },
  { name: "graphql", isRun: hasPostgraphile },
])("the program `$name`", ({ name, isRun }) => {
  test.skipIf(!isRun)("returns each customer their own rows, also in parallel", async () => {
    const customers = ["acme", "globex"] as const;
    const tokens = new Map(
      await Promise.all(customers.map(async (id) => [id, await createToken(id)] as const)),
    );
    const replies = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const customer = customers[index % 2] ?? "acme";
        return { customer, ...(await read(name, tokens.get(customer))) };
      }),
    );
    for (const { customer, status, rows } of replies)
      expect({ status, rows }).toEqual({ status: 200, rows: ROWS[customer] });
  });

  test.skipIf(!isRun).each<[string, () => Promise<string | undefined>]>([
    ["no token", async () => undefined],
    [
      "a group's token",
      async () => (await fixture().client.userGroups.getOrCreate({ providedId: "acme" })).token,
    ],
    ["an API key", async () => fixture().keys.admin],
    [
      "a changed customer",
      async () => {
        const [header, payload = "", signature] = (await createToken("globex")).split(".");
        const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
        return [header, encodePart({ ...claims, variables: { customer: "acme" } }), signature].join(".");
      },
    ],
    [
      "no signature",
      async () =>
        `${encodePart({ alg: "none", typ: "embed+jwt" })}.${(await createToken("acme")).split(".")[1]}.`,
    ],
    ["an expired session", async () => resigned({ exp: Math.floor(Date.now() / 1000) - 1 })],
    ["another audience", async () => resigned({ aud: "other/Customer" })],
    [
      "a session of the other environment",
      async () => {
        const { userGroups } = fixture().newClient({ apiKey: fixture().keys.testing });
        await userGroups.getOrCreate({ providedId: "acme", name: "Acme" });
        const session = { providedId: "acme", variables: { customer: "acme" } };
        return (await userGroups.createEmbedSession(session)).token;
      },
    ],
  ])("refuses %s", async (_, token) => {
    const { status, text } = await read(name, await token());
    expect(status).toBe(401);
    expect(JSON.parse(text)).toEqual({ error: "The embed session is invalid." });
  });

  // The mapping of the group decides in the other program.
  test
    .skipIf(!isRun || name === "warehouse")
    .each([[{}], [{ customer: "" }], [{ customer: null }], [{ customer: ["acme"] }]])(
    "refuses a session without a customer: %j",
    async (variables) => {
      expect((await read(name, await createToken("acme", variables))).status).toBe(401);
    },
  );
});

async function resigned(claims: object): Promise<string> {
  return resign(fixture().service, await createToken("acme"), { ...claims });
}

describe("the policy", () => {
  const COUNT = "SELECT count(*)::int AS count FROM sale";
  const lastOf = async (role: "reader" | "owner" | "superuser", statements: string) =>
    Array.from(await data.query(role, statements)).at(-1);

  test("shows the route's role no rows unless a customer is set, also on a connection that served one, and never the owner", async () => {
    expect(await lastOf("superuser", COUNT)).toEqual({ count: 3 });
    expect(await lastOf("reader", COUNT)).toEqual({ count: 0 });
    expect(await lastOf("owner", COUNT)).toEqual({ count: 0 });
  });

  test.each([
    ["acme", 2],
    ["globex", 1],
    ["", 0],
    ["nobody", 0],
  ])("shows the rows of %j in a transaction and none after it", async (customer, count) => {
    await data.query("superuser", "INSERT INTO sale VALUES ('', 'without a customer', 1)");
    const client = await data.connect();
    const rows = async (statement: string) => (await client.query(statement)).rows;
    await client.query("BEGIN");
    await client.query("SELECT set_config('app.customer', $1, true)", [customer]);
    expect(await rows(COUNT)).toEqual([{ count }]);
    await client.query("COMMIT");
    expect(await rows("SELECT current_setting('app.customer', true) AS customer")).toEqual([
      { customer: "" },
    ]);
    expect(await rows(COUNT)).toEqual([{ count: 0 }]);
    await data.query("superuser", "DELETE FROM sale WHERE customer = ''");
  });

  test.each([
    "INSERT INTO sale VALUES ('acme', 'screws', 1)",
    "DELETE FROM sale",
    "ALTER TABLE sale DISABLE ROW LEVEL SECURITY",
    "SET row_security = off; SELECT * FROM sale",
  ])("refuses the route's role: %s", async (statement) => {
    await expect(data.query("reader", statement)).rejects.toThrow(
      /permission denied|must be owner|row-level security/,
    );
  });

  test("the only connection of the program keeps nothing of its customer", async () => {
    const token = await createToken("acme");
    const connect = vi.spyOn(guides.Pool.prototype, "connect");
    await read("sales", token);
    // The service's pools are of the same class.
    const pool = connect.mock.contexts.find(({ options }) => options.connectionString === data.urls.shared);
    connect.mockRestore();
    const setting = "SELECT current_setting('app.customer', true) AS customer";
    expect((await pool.query(setting)).rows).toEqual([{ customer: "" }]);
    expect((await pool.query(COUNT)).rows).toEqual([{ count: 0 }]);
    expect(pool.totalCount).toBe(1);
  });

  test("a failed request leaves nothing behind, and the next customer is served", async () => {
    const [acme, globex] = [await createToken("acme"), await createToken("globex")];
    await data.query("superuser", `REVOKE SELECT ON sale FROM ${data.reader}`);
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const failed = await read("sales", acme);
    expect(failed.status).toBe(503);
    expect(failed.rows).toEqual({ error: "The data is temporarily unavailable." });
    expect(errors).toHaveBeenCalledOnce();
    errors.mockRestore();
    await data.query("superuser", `GRANT SELECT ON sale TO ${data.reader}`);
    expect((await read("sales", globex)).rows).toEqual(ROWS.globex);
  });
});

describe("one database for each customer", () => {
  const { acme, globex } = { acme: "acme-warehouse", globex: "globex-warehouse" };

  test.each<[string, Record<string, string> | null]>([
    ["no mapping", null],
    ["another schema only", { support: acme }],
    ["a data source that the program does not know", { sales: "forgotten-warehouse" }],
  ])("refuses a customer with %s", async (_, mapping) => {
    await fixture().client.userGroups.getOrCreate({ providedId: "initech", name: "Initech" });
    await fixture().client.userGroups.update({ providedId: "initech", mapping });
    const { status, rows } = await read("warehouse", await createToken("initech"));
    expect({ status, rows }).toEqual({
      status: 403,
      rows: { error: "This customer has no sales database." },
    });
  });

  test("a change of the mapping counts at once, and a session of before a rotation is refused", async () => {
    const { userGroups } = fixture().client;
    const providedId = "moving";
    const { token: currentToken } = await userGroups.getOrCreate({
      providedId,
      name: "A",
      mapping: { sales: acme },
    });
    const token = await createToken(providedId);
    expect((await read("warehouse", token)).rows).toEqual(ROWS.acme);
    await userGroups.update({ providedId, mapping: { sales: globex } });
    expect((await read("warehouse", token)).rows).toEqual(ROWS.globex);
    await userGroups.rotateToken({ currentToken });
    expect((await read("warehouse", token)).status).toBe(401);
  });

  test("pools and connections are bounded, and close when they are not used", async () => {
    const { createPools } = await guides.load("databases");
    const urls = new Map([
      [acme, data.urls.acme],
      [globex, data.urls.globex],
    ]);
    // Those of other tests.
    for (const url of urls.values()) await expect.poll(() => data.connections(url)).toBe(0);
    const poolOf = createPools(urls, 1);
    for (const unknown of [undefined, "", "forgotten-warehouse", "constructor"])
      expect(poolOf(unknown)).toBeUndefined();
    const first = poolOf(acme);
    const busy = Array.from({ length: 10 }, () => poolOf(acme).query("SELECT pg_sleep(0.05)"));
    expect([first.totalCount, first.waitingCount]).toEqual([2, 8]);
    expect(() => poolOf(globex)).toThrow("All databases are in use.");
    await Promise.all(busy);
    expect(first.ending).toBe(false);
    expect((await poolOf(globex).query("SELECT product, amount FROM sale")).rows).toEqual(ROWS.globex);
    expect(first.ending).toBe(true);
    for (const url of urls.values()) await expect.poll(() => data.connections(url)).toBe(0);
  });
});
