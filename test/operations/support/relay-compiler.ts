import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const project = fileURLToPath(new URL("../../..", import.meta.url));
// The package exports the path of its platform-specific binary.
const require = createRequire(import.meta.url);
const compiler: string | null = require("relay-compiler");

export const hasRelayCompiler = compiler !== null && spawnSync(compiler, ["--version"]).status === 0;

/**
 * Compiles a modified file for Relay in a temporary directory of the test.
 * @param file its name in test/operations/support/graphql
 */
export async function compileForRelay(file: string, change = (source: string) => source) {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-relay-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "src", file);
  await cp(join(project, "schema.graphql"), join(directory, "schema.graphql"));
  await cp(join(project, "test", "operations", "support", "graphql", file), path);
  await writeFile(path, change(await readFile(path, "utf8")));
  await writeFile(
    join(directory, "relay.config.json"),
    JSON.stringify({ src: "src", schema: "schema.graphql", language: "javascript", eagerEsModules: false }),
  );
  const { status, stdout, stderr } = spawnSync(compiler ?? "", { cwd: directory, encoding: "utf8" });
  /** Imports an artefact, such as that of an operation. */
  const artefactOf = (name: string) => require(join(directory, "src", "__generated__", `${name}.graphql.js`));
  return {
    status,
    output: stdout + stderr,
    directory,
    artefactOf,
    /** Returns the text of an operation by name. */
    textOf: (name: string): string => artefactOf(name).params.text,
  };
}
