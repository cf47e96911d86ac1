import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client } from "pg";
import { inject, onTestFinished } from "vitest";
import { checkTypes, installClient } from "../../support/clients/packed-client.js";
import { databaseUrl } from "../../support/postgres/database-url.js";
import { administer, asRole } from "../../support/postgres/postgres-setup.js";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.js";
import { snippetsOf } from "../../support/repository/doc-snippets.js";

const POSTGRAPHILE = fileURLToPath(new URL("../node_modules/postgraphile", import.meta.url));
/** PostGraphile is an optional package, as it needs Node.js 22. */
export const hasPostgraphile = existsSync(POSTGRAPHILE);

const BORROWED = ["express", "pg", "@types/express", "@types/pg", "@types/node"];
const COMPILER_OPTIONS = {
  target: "es2023",
  module: "nodenext",
  lib: ["es2023", "dom"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  outDir: "dist",
};

/** The snippets of the guides about a company's own data, by file name. */
export const guideFiles = new Map(
  ["docs/row-level-security.md", "docs/data-sources.md", "docs/postgraphile.md"]
    .flatMap(snippetsOf)
    .flatMap(({ file, code }) => (file === undefined ? [] : [[file, code] as const])),
);

/** Compiles the guides' programs beside the packed client. @param changes texts that are replaced */
export async function compileGuides(changes: Readonly<Record<string, string>>) {
  const consumer = await installClient(BORROWED);
  const { directory } = consumer;
  const files = [...guideFiles.keys()].filter(
    (file) => file.endsWith(".ts") && (hasPostgraphile || file !== "graphql.ts"),
  );
  if (hasPostgraphile) await symlink(POSTGRAPHILE, join(directory, "node_modules", "postgraphile"));
  for (const file of files) await writeFile(join(directory, file), replaced(guideFiles.get(file), changes));
  await writeFile(
    join(directory, "tsconfig.json"),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }),
  );
  return {
    typeErrors: await checkTypes(directory, "tsconfig.json"),
    /** Imports a compiled program. */
    load: (name: string) => import(pathToFileURL(join(directory, "dist", `${name}.js`)).href),
    /** The class of the programs' pools. */
    Pool: createRequire(join(directory, "package.json"))("pg").Pool,
    remove: () => consumer.remove(),
  };
}

function replaced(text = "", changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/** Databases of a company on the tests' server, and their roles. */
export interface OwnData {
  /** The role of the guide's route. */
  readonly reader: string;
  /** Runs statements in the shared database, as the route's role, the tables' owner, who is no superuser, or a superuser. */
  query(role: "reader" | "owner" | "superuser", statements: string): Promise<readonly object[]>;
  /** Connects to the shared database as the route's role, until the test ends. */
  connect(): Promise<Client>;
  /** The URL of the shared database as the route's role, and those of each customer's own. */
  readonly urls: { readonly shared: string; readonly acme: string; readonly globex: string };
  /** Counts the connections of the route's role, by database URL. */
  connections(url: string): Promise<number>;
  close(): Promise<void>;
}

/** Creates the databases, and runs the guide's `setup.sql` in the shared one. @param rows of each customer, as `(product, amount)` */
export async function createOwnData(rows: {
  readonly acme: string;
  readonly globex: string;
}): Promise<OwnData> {
  const { server } = inject("postgres");
  const suffix = randomBytes(4).toString("hex");
  const [owner, reader] = [`sales_owner_${suffix}`, `dashboard_${suffix}`];
  const password = randomBytes(12).toString("hex");
  await administer(server, `CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD '${password}'`);
  const databases = {
    shared: await createTestDatabase("empty"),
    acme: await createTestDatabase("empty"),
    globex: await createTestDatabase("empty"),
  };
  const { shared, ...warehouses } = databases;
  const targets = {
    superuser: shared.owner,
    owner: asRole(shared.owner, { user: owner, password }),
    reader: asRole(shared.owner, { user: reader, password }),
  };
  const query: OwnData["query"] = (role, statements) => administer(targets[role], statements);
  await query("superuser", `GRANT CREATE ON SCHEMA public TO ${owner}`);
  await query("owner", replaced(guideFiles.get("setup.sql"), { dashboard: reader, "change-me": password }));
  for (const customer of ["acme", "globex"] as const) {
    const values = rows[customer];
    await query("superuser", `INSERT INTO sale SELECT '${customer}', * FROM (VALUES ${values}) AS sold`);
    await administer(
      warehouses[customer].owner,
      `CREATE TABLE sale AS SELECT * FROM (VALUES ${values}) AS sold (product, amount); GRANT SELECT ON sale TO ${reader}`,
    );
  }
  const urlOf = ({ owner: target }: TestDatabase) => databaseUrl(asRole(target, { user: reader, password }));
  return {
    reader,
    query,
    async connect() {
      const client = new Client(databaseUrl(targets.reader));
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    },
    urls: { shared: urlOf(shared), acme: urlOf(databases.acme), globex: urlOf(databases.globex) },
    async connections(url) {
      const name = new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
      const [row] = await administer(
        server,
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = '${name}' AND usename = '${reader}'`,
      );
      return row.count;
    },
    async close() {
      for (const database of Object.values(databases)) await database.drop();
      for (const role of [reader, owner]) await administer(server, `DROP ROLE IF EXISTS ${role}`);
    },
  };
}

/** Serves a program of the guides. @returns its URL, and a function that stops it */
export async function serve(app: RequestListener) {
  const listening = createServer(app).listen(0, "127.0.0.1");
  await once(listening, "listening");
  const address = listening.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => listening.close() };
}
