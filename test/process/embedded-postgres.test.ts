import { chmod, cp, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findBinariesPackage } from "../../src/embedded-postgres/installation.js";
import { type EmbeddedServer, openEmbeddedServer } from "../../src/embedded-postgres/postgres.js";
import { readPostmaster, seesProcesses } from "../support/service/data-directory.js";
import { createTestProcesses } from "../support/service/running-process.js";

const processes = createTestProcesses();
const servers = new Set<EmbeddedServer>();
/** A DATA_DIR whose server was stopped; its table `kept` has a row. */
let prepared: string;
beforeAll(async () => {
  prepared = await processes.newDataDir();
  const server = await open(prepared);
  await query(server, "CREATE TABLE kept AS SELECT 1 AS value");
  await server.stop();
});
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers.clear();
});
afterAll(() => processes.close());

describe("embedded PostgreSQL", () => {
  test("works in a directory that only its owner can enter, with any name", async () => {
    const parent = dirname(await processes.newDataDir());
    await chmod(parent, 0o700);
    const dataDir = join(parent, "it's a “dir”", "deep er");
    const server = await open(dataDir);
    expect(
      await query(server, "SELECT current_database() AS name, version() LIKE 'PostgreSQL 18%' AS is_18"),
    ).toEqual([{ name: "app", is_18: true }]);
    // PostgreSQL refuses to run as root, and then uses another account.
    if (process.getuid?.() === 0) expect((await stat(join(dataDir, "postgres"))).uid).not.toBe(0);
  });

  test("can be adopted by another process, which does not stop it", async () => {
    const dataDir = await processes.newDataDir(prepared);
    const owner = await open(dataDir);
    const adopted = await open(dataDir, { adopt: true });
    expect(adopted.connection).toEqual(owner.connection);
    await adopted.stop();
    expect(await query(owner, "SELECT value FROM kept")).toEqual([{ value: 1 }]);
  });

  test("starts after it was killed and its process ID was reused", async () => {
    const dataDir = await processes.newDataDir(prepared);
    const killed = await open(dataDir);
    const { pid } = await readPostmaster(dataDir);
    process.kill(pid, "SIGKILL");
    await killed.stop();
    const pidFile = join(dataDir, "postgres", "postmaster.pid");
    await writeFile(pidFile, (await readFile(pidFile, "utf8")).replace(/^\d+/, String(process.pid)));
    // Start times are known on Linux only.
    await writeFile(join(dataDir, "service.lock"), `${seesProcesses ? process.pid : 2 ** 22} 1\n`);
    expect(await query(await open(dataDir), "SELECT value FROM kept")).toEqual([{ value: 1 }]);
  });

  test("can be stopped twice", async () => {
    const server = await open(await processes.newDataDir(prepared));
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
  });

  test("uses another socket directory when the TMPDIR path is too long", async () => {
    const dataDir = await processes.newDataDir(prepared);
    const tmpdir = process.env["TMPDIR"];
    process.env["TMPDIR"] = `/${"long".repeat(30)}`;
    try {
      const { host } = (await open(dataDir)).connection;
      expect(host).toMatch(/^\/tmp\//);
    } finally {
      if (tmpdir === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = tmpdir;
    }
  });

  test("works from a package installed without scripts in a directory closed to other users", async () => {
    const directory = dirname(await processes.newDataDir());
    const binariesPackage = join(directory, "package");
    await cp(findBinariesPackage(), binariesPackage, { recursive: true, verbatimSymlinks: true });
    const links: { target: string }[] = JSON.parse(
      await readFile(join(binariesPackage, "native", "pg-symlinks.json"), "utf8"),
    );
    expect(links.length).toBeGreaterThan(0);
    for (const { target } of links) await rm(join(binariesPackage, target), { force: true });
    await chmod(directory, 0o700);
    const server = await open(await processes.newDataDir(prepared), { binariesPackage });
    expect(await query(server, "SELECT value FROM kept")).toEqual([{ value: 1 }]);
  });
});

describe("embedded PostgreSQL reports in one line", () => {
  test("that its place in DATA_DIR is taken by other files", async () => {
    const dataDir = await processes.newDataDir();
    await mkdir(join(dataDir, "postgres", "letters"), { recursive: true });
    await expect(open(dataDir)).rejects.toThrow(/^\S+postgres is not a PostgreSQL data directory\. .*$/);
  });

  test("that its data has another version", async () => {
    const dataDir = await processes.newDataDir(prepared);
    await writeFile(join(dataDir, "postgres", "PG_VERSION"), "17\n");
    await expect(open(dataDir)).rejects.toThrow(
      /^The embedded PostgreSQL server did not start: database files are incompatible with server \(.*17.*\)$/,
    );
  });

  test("that its binaries do not run", async () => {
    const binariesPackage = await processes.newDataDir();
    await mkdir(join(binariesPackage, "native", "bin"), { recursive: true });
    await writeFile(join(binariesPackage, "native", "pg-symlinks.json"), "[]");
    for (const name of ["initdb", "postgres"])
      await writeFile(
        join(binariesPackage, "native", "bin", name),
        "#!/bin/sh\necho made for another machine >&2\nexit 1\n",
      );
    await expect(open(await processes.newDataDir(), { binariesPackage })).rejects.toThrow(
      /^The embedded PostgreSQL server does not run on this machine \(.*\)\. Set DATABASE_URL .*$/,
    );
  });
});

async function open(
  dataDir: string,
  options: Partial<Parameters<typeof openEmbeddedServer>[0]> = {},
): Promise<EmbeddedServer> {
  const server = await openEmbeddedServer({
    dataDir,
    password: "pass-word",
    database: "app",
    adopt: false,
    ...options,
  });
  servers.add(server);
  return server;
}

async function query({ connection }: EmbeddedServer, statement: string): Promise<object[]> {
  const client = new Client(connection);
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
}
