import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type SystemPostgres, startSystemPostgres } from "../postgres/system-postgres.js";
import { compileService } from "../service/compiled-service.js";

export const ADDRESS_IN_DOCS = "postgres.example.com:5432";

/** A reader of the guides with an external PostgreSQL of the installed version and a folder. */
export interface GuideReader {
  readonly postgres: SystemPostgres;
  readonly folder: string;
  /** The URL of a database for the roles of the guide and the server's superuser. */
  url(role: "superuser" | "administrator" | "owner" | "service", database?: string): string;
  /** Runs SQL with psql; by default as an administrator without superuser rights. @throws Error with its output */
  runSql(sql: string, url?: string): void;
  /** Runs a script in the folder; `npm run -s cli --` is our program. */
  runScript(script: string, env?: Readonly<Record<string, string>>): Promise<{ readonly stdout: string }>;
  close(): Promise<void>;
}

/** @param programs the directory of PostgreSQL's programs */
export async function startGuideReader(programs: string): Promise<GuideReader> {
  const postgres = await startSystemPostgres(programs);
  const folder = await mkdtemp(join(tmpdir(), "ug-guide-"));
  const roles = {
    superuser: ["postgres", postgres.password, "postgres"],
    administrator: ["administrator", "administrator", "postgres"],
    owner: ["user_groups", "OWNER_PASSWORD", "user_groups"],
    service: ["user_groups_service", "SERVICE_PASSWORD", "user_groups"],
  } as const;
  const url: GuideReader["url"] = (role, database) => {
    const [user, password, usual] = roles[role];
    return postgres.url(user, password, database ?? usual);
  };
  const runSql: GuideReader["runSql"] = (input, target = url("administrator")) => {
    const options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", target];
    const { status, stderr } = spawnSync(join(programs, "psql"), options, { input, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  runSql("CREATE ROLE administrator LOGIN CREATEROLE CREATEDB PASSWORD 'administrator'", url("superuser"));
  return {
    postgres,
    folder,
    url,
    runSql,
    async runScript(script, env = {}) {
      const preamble = `set -eu; npm() { shift 4; "$NODE" "$SERVICE/cli.js" "$@"; }\n`;
      const SERVICE = join(await compileService(), "src");
      const PATH = `${programs}:${process.env["PATH"]}`;
      return promisify(execFile)(
        "bash",
        ["--norc", "-c", preamble + script.replaceAll(ADDRESS_IN_DOCS, postgres.address)],
        {
          cwd: folder,
          env: { PATH, NODE: process.execPath, SERVICE, ...env },
        },
      );
    },
    async close() {
      await postgres.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
