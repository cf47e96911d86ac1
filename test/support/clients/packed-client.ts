import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const client = join(project, "clients", "typescript");
const run = promisify(execFile);

/** A project with the packed client package installed. */
export interface ClientConsumer {
  readonly directory: string;
  /** The installed package's directory. */
  readonly installed: string;
  /** The package as `npm pack` wrote it. */
  readonly tarball: string;
  /** The package's files by path. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/**
 * Packs the client package and installs it in a new directory.
 * @param borrowed further packages, linked from this repository
 */
export async function installClient(borrowed: readonly string[]): Promise<ClientConsumer> {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-consumer-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", directory], { cwd: client });
  const [packed]: readonly { filename: string; files: readonly { path: string }[] }[] = JSON.parse(stdout);
  if (!packed) throw new Error("npm pack reported no package.");
  await writeFile(
    join(directory, "package.json"),
    '{ "name": "consumer", "private": true, "type": "module" }\n',
  );
  const options = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...options, join(directory, packed.filename)], { cwd: directory });
  for (const name of borrowed) {
    const place = join(directory, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(project, "node_modules", name), place);
  }
  return {
    directory,
    installed: join(directory, "node_modules", "@user-groups", "client"),
    tarball: join(directory, packed.filename),
    files: packed.files.map(({ path }) => path),
    remove: () => rm(directory, { recursive: true }),
  };
}

/** Copies the examples into the project, where they resolve the installed package. @returns their directory */
export async function copyExamples({ directory }: ClientConsumer): Promise<string> {
  const target = join(directory, "examples");
  await cp(join(client, "examples"), target, { recursive: true });
  return target;
}

/** Type-checks a project. @returns the positions of errors as `file:line` */
export async function checkTypes(directory: string, config: string): Promise<string[]> {
  const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
  const output = await new Promise<string>((resolve) => {
    const args = [tsc, "--pretty", "false", "-p", config];
    execFile(process.execPath, args, { cwd: directory }, (_error, stdout) => resolve(stdout));
  });
  const places = output.matchAll(/^(?<file>[^\s(]+)\((?<line>\d+),\d+\): error /gm);
  return [...places].map(({ groups }) => `${groups?.["file"]}:${groups?.["line"]}`);
}
