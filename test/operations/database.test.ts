import { spawnSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADDRESS_IN_DOCS, type GuideReader, startGuideReader } from "../support/deploy/guide-reader.js";
import { systemPostgres } from "../support/postgres/system-postgres.js";
import { freePort } from "../support/programs/free-port.js";
import { type GuardedProgram, startGuarded } from "../support/programs/guarded-program.js";
import { hasPgbouncer } from "../support/programs/pgbouncer.js";
import { type Snippet, snippetsOf } from "../support/repository/doc-snippets.js";
import { callRest } from "../support/rest/rest-client.js";
import { runHere } from "../support/service/command.js";
import { createTestProcesses } from "../support/service/running-process.js";

const snippets = ["docs/database.md", "docs/backup.md", "docs/upgrading.md"]
  .flatMap(snippetsOf)
  .filter(({ notRun }) => notRun?.includes("test/operations/database.test.ts"));
const encryptionKey = Buffer.alloc(32, 7).toString("base64");
const acme = { user_group_id: "acme", name: "Acme" };

// Each test starts several processes.
const options = { timeout: 600_000 };

describe.skipIf(systemPostgres === undefined)(
  "an external PostgreSQL, set up as in the guide",
  options,
  () => {
    const programs = systemPostgres ?? "";
    const processes = createTestProcesses();
    const used = new Set<Snippet>();
    let reader: GuideReader;
    let pgbouncer: GuardedProgram | undefined;

    beforeAll(async () => {
      reader = await startGuideReader(programs);
    });
    afterAll(async () => {
      await processes.close();
      await pgbouncer?.end();
      await reader?.close();
    });

    const superuser = (database: string) => reader.url("superuser", database);
    const owner = (database?: string) => reader.url("owner", database);
    const runtime = (database?: string) => reader.url("service", database);
    const settings = (database?: string) => ({
      DATABASE_URL: runtime(database),
      DATABASE_MIGRATION_URL: owner(database),
      ENCRYPTION_KEYS: encryptionKey,
    });

    /** The guide's only snippet that contains this text. */
    function snippet(part: string): string {
      const [found, ...others] = snippets.filter(({ code }) => code.includes(part));
      if (!found || others.length > 0)
        throw new Error(`${part} is in ${others.length + (found ? 1 : 0)} pieces.`);
      used.add(found);
      return found.code.replaceAll(ADDRESS_IN_DOCS, reader.postgres.address);
    }

    async function query(url: string, sql: string): Promise<object[]> {
      const client = new Client(url);
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    }

    const protectedTables = (database: string) =>
      query(
        superuser(database),
        "SELECT relname, relrowsecurity FROM pg_class WHERE relforcerowsecurity ORDER BY relname",
      );

    test("can be set up by an administrator without superuser rights, with an unprivileged application role", async () => {
      reader.runSql(snippet("CREATE ROLE user_groups_service"));
      const { stdout } = await reader.runScript(snippet("export DATABASE_URL"));
      expect(stdout).toContain("applied Baseline");
      const create = ["key", "create", "--account", "acme", "--environment", "Customer", "--scope", "admin"];
      await runHere(["account", "create", "acme"], settings());
      const made = await runHere(create, settings());
      expect(made).toMatchObject({ code: 0, stderr: "" });
      await writeFile(join(reader.folder, "key"), made.stdout.trim());
      const { DATABASE_MIGRATION_URL: _, ...env } = settings();
      const service = await processes.serve({ env });
      expect((await callRest(`${service.url}/api/user`, "GET", made.stdout.trim(), acme)).status).toBe(200);
      expect(service.stderr()).not.toContain("Row-level security is not enforced");
      service.kill("SIGTERM");
      expect((await service.ended).code).toBe(0);
      expect(await query(superuser("user_groups"), snippet("xact_start"))).toEqual([]);
    });

    test.skipIf(!hasPgbouncer)("works behind the documented PgBouncer", async () => {
      const port = await freePort();
      const ini = snippet("[pgbouncer]")
        .replace(
          "host=postgres.example.com port=5432",
          `host=127.0.0.1 port=${reader.postgres.address.split(":")[1]}`,
        )
        .replace("listen_port = 6432", `listen_port = ${port}\nunix_socket_dir =`);
      await writeFile(join(reader.folder, "pgbouncer.ini"), ini);
      await writeFile(join(reader.folder, "users.txt"), '"user_groups_service" "SERVICE_PASSWORD"\n');
      await chmod(reader.folder, 0o755);
      const isRoot = process.getuid?.() === 0;
      const command = ["pgbouncer", ...(isRoot ? ["--user=nobody"] : []), "-q", "pgbouncer.ini"];
      pgbouncer = await startGuarded("env", ["-C", reader.folder, ...command], port);
      const service = await processes.serve({
        env: {
          DATABASE_URL: `postgres://user_groups_service:SERVICE_PASSWORD@127.0.0.1:${port}/user_groups`,
          DATABASE_LISTEN_URL: runtime(),
          DATABASE_POOLED: "true",
          ENCRYPTION_KEYS: encryptionKey,
        },
      });
      expect((await callRest(`${service.url}/readyz`, "GET", undefined)).status).toBe(200);
      service.kill("SIGTERM");
      expect((await service.ended).code).toBe(0);
    });

    test("can be dumped by the backup role but not by the owner, restored, and migrated to the next version", async () => {
      const asOwner = spawnSync(join(programs, "pg_dump"), ["--format=custom", "--file=/dev/null", owner()], {
        encoding: "utf8",
      });
      expect(asOwner.status).not.toBe(0);
      expect(asOwner.stderr).toContain("row-level security");

      reader.runSql(snippet("CREATE ROLE user_groups_backup"), superuser("postgres"));
      const backup = reader.postgres.url("user_groups_backup", "BACKUP_PASSWORD", "user_groups");
      await reader.runScript(snippet("pg_dump --format"), { BACKUP_URL: backup });
      reader.runSql(snippet("CREATE DATABASE restored"));
      await reader.runScript(snippet("pg_restore"), { RESTORED_OWNER_URL: owner("restored") });

      expect(await protectedTables("restored")).toEqual(await protectedTables("user_groups"));
      expect((await protectedTables("restored")).length).toBeGreaterThan(5);
      // The next version's migrations run DDL as the owner.
      const ddl = "ALTER TABLE user_group ADD COLUMN sample text; ALTER TABLE user_group DROP COLUMN sample";
      reader.runSql(ddl, owner("restored"));
      const env = settings("restored");
      expect((await runHere(["migrate", "up"], env)).stdout).toContain("No pending migrations.");
      const groups = "SELECT provided_id, name FROM user_group";
      expect(await query(superuser("restored"), groups)).toEqual([{ provided_id: "acme", name: "Acme" }]);
      const service = await processes.serve({ env });
      const key = (await reader.runScript("cat key")).stdout;
      const reply = await callRest(`${service.url}/api/user`, "GET", key, { user_group_id: "acme" });
      expect(reply).toMatchObject({ status: 200, body: { new_user_group: false } });
      service.kill("SIGTERM");
      expect((await service.ended).code).toBe(0);
    });

    test("can be dumped by the owner, temporarily exempt, where no role can bypass row-level security", async () => {
      const forced = await protectedTables("user_groups");
      const exempt = snippet("NO FORCE ROW LEVEL SECURITY");
      reader.runSql(exempt, owner());
      expect(await protectedTables("user_groups")).toEqual([]);
      await reader.runScript(snippet("pg_dump --format"), { BACKUP_URL: owner() });
      reader.runSql(exempt.replace("NO FORCE", "FORCE"), owner());
      expect(await protectedTables("user_groups")).toEqual(forced);
    });

    test("every snippet that the guide marks as tested was run here", () => {
      const left = snippets.filter((each) => !used.has(each) && (hasPgbouncer || each.language !== "ini"));
      expect(left).toEqual([]);
    });
  },
);
