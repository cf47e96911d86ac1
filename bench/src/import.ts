import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { markdownTable } from "./markdown-table.js";
import { readNumbers, readOptions } from "./options.js";
import { type BenchDatabase, startPostgres } from "./postgres.js";
import { runCommand } from "./server-process.js";
import { inWorkplace } from "./workplace.js";

const GROUPS = 1_000_000;
const ACCOUNT = ["--account", "bench", "--environment", "Customer"];
const SOURCES = ["crm", "sales", "support"];
const HEADS = ["", "groups", "seconds", "groups/s", "COPY's time ÷ it", "peak memory MB"];

/** The tables that an import writes, in foreign key order. */
const TABLES = ["user_group", "mapping_entry", "brought_token"];

type Command = (name: string, ...options: string[]) => ReturnType<typeof runCommand>;

/** Compares `import` and `export` of groups with tokens and mappings to COPY of the same rows. */
export async function benchImport(args: readonly string[]): Promise<string> {
  const reading = { names: ["groups"], flags: [], usage: "npm run bench -- import [--groups N]" };
  const [groups = GROUPS] = readOptions(args, reading, (options) => readNumbers(options, "groups", []));
  return inWorkplace(async (place) => {
    const postgres = await startPostgres(place, {});
    const [importDatabase, copyDatabase] = [await postgres.create("ours"), await postgres.create("copy")];
    const keys = randomBytes(32).toString("base64");
    const command = await prepare(importDatabase, keys, place.directory);
    await prepare(copyDatabase, keys, place.directory);
    return measure([importDatabase, copyDatabase], command, place.directory, groups);
  });
}

async function measure(
  [importDatabase, copyDatabase]: readonly [BenchDatabase, BenchDatabase],
  command: Command,
  directory: string,
  groups: number,
): Promise<string> {
  const [file, written] = [join(directory, "groups.jsonl"), join(directory, "written.jsonl")];
  await writeGroups(file, groups);
  const imported = await command("import", "--groups", file);
  const [row] = await importDatabase.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM user_group",
  );
  if (row?.count !== groups) throw new Error(`The import created ${row?.count} of ${groups} groups.`);
  const copied = await copy(importDatabase, copyDatabase, directory);
  const again = await command("import", "--groups", file);
  const exported = await command("export", "--groups", written, "--with-tokens");
  const rows = [
    { name: "import", ...imported },
    { name: "COPY", seconds: copied, peakMb: Number.NaN },
    { name: "import again, all unchanged", ...again },
    { name: "export", ...exported },
  ];
  return markdownTable(
    HEADS,
    rows.map(({ name, seconds, peakMb }) => [
      ...[name, groups.toLocaleString("en"), seconds.toFixed(1)],
      ...[Math.round(groups / seconds).toLocaleString("en"), (copied / seconds).toFixed(2)],
      Number.isNaN(peakMb) ? "" : peakMb.toFixed(0),
    ]),
  );
}

/** Creates an account with data sources. @returns a function that runs further commands for it */
async function prepare(database: BenchDatabase, keys: string, directory: string): Promise<Command> {
  const settings = { ENCRYPTION_KEYS: keys, DATABASE_URL: database.runtimeUrl };
  const command: Command = (name, ...options) => runCommand(settings, [name, ...options, ...ACCOUNT]);
  await runCommand(settings, ["account", "create", "bench"]);
  const sources = join(directory, "sources.csv");
  await writeFile(sources, `provided_id,name\n${SOURCES.map((id) => `${id},${id}\n`).join("")}`);
  await command("import", "--data-sources", sources);
  return command;
}

/** Writes groups as exported by another service, in random order. */
async function writeGroups(path: string, groups: number): Promise<void> {
  function* lines() {
    for (let n = 0; n < groups; n += 1) {
      const group = {
        provided_id: `customer-${(n * 7_368_787) % groups}`,
        name: `Customer number ${n}`,
        token: randomBytes(24).toString("base64url"),
        properties: { region: n % 2 === 0 ? "EU" : "US", plan: "gold", seats: n % 500 },
        mapping: { main: SOURCES[n % 3], second: SOURCES[(n + 1) % 3] },
      };
      yield `${JSON.stringify(group)}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path));
}

/** Copies the imported rows into another database. @returns the duration of COPY FROM in seconds */
async function copy(from: BenchDatabase, to: BenchDatabase, directory: string): Promise<number> {
  let seconds = 0;
  for (const table of TABLES) {
    const path = join(directory, table);
    await from.query(`COPY ${table} TO '${path}'`);
    const start = performance.now();
    await to.query(`COPY ${table} FROM '${path}'`);
    seconds += (performance.now() - start) / 1000;
    // Not timed: without statistics, the foreign key checks of the next table use an index that is a thousand times slower.
    await to.query(`ANALYZE ${table}`);
  }
  return seconds;
}
