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
