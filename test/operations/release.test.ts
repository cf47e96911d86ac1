import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const text = await readFile(".github/workflows/release.yml", "utf8");
const workflow = z
  .object({
    on: z.unknown(),
    permissions: z.unknown(),
    jobs: z.record(
      z.string(),
      z.object({
        needs: z.array(z.string()).default([]),
        permissions: z.record(z.string(), z.string()).default({}),
        environment: z.string().optional(),
        steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })).default([]),
      }),
    ),
  })
  .parse(parse(text));
const jobs = Object.entries(workflow.jobs);

test("the workflow publishes for tags only, after CI, and with no more permissions than it needs", () => {
  expect(workflow.on).toEqual({ push: { tags: ["v*"] } });
  expect(workflow.permissions).toEqual({ contents: "read" });
  const writing = jobs.filter(([, { permissions }]) => Object.values(permissions).includes("write"));
  expect(writing.map(([name, { permissions }]) => [name, permissions])).toEqual([
    ["packages", { contents: "read", "id-token": "write" }],
    ["release", { contents: "write" }],
  ]);
  for (const name of ["packages", "image"]) {
    expect(workflow.jobs[name]).toMatchObject({ needs: ["ci", "files"], environment: "release" });
  }
  const actions = jobs.flatMap(([, { steps }]) => steps.flatMap(({ uses = [] }) => uses));
  for (const action of actions) expect(action).toMatch(/^[a-z-]+\/[a-z-]+@v\d+$/);
});

test("docs/release.md names every secret and variable, and the environment", async () => {
  const page = await readFile("docs/release.md", "utf8");
  const names = new Set([...text.matchAll(/(?:secrets|vars)\.(\w+)/g)].map(([, name = ""]) => name));
  for (const name of [...names, "environment `release`"]) expect(page).toContain(name);
});

/** The checkout's files that a release reads, with a version that the changelog describes. */
async function released(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ug-release-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const listed = await promisify(execFile)("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
  const needed = /^(?:[^/]+|(?:clients\/typescript|packages\/site-config|scripts|src)\/.*)$/;
  for (const file of listed.stdout
    .trim()
    .split("\n")
    .filter((path) => needed.test(path)))
    await cp(file, join(folder, file));
  return folder;
}

test("a release consists of the packages, their SBOM and the section of the changelog", async () => {
  const folder = await released();
  const write = async (tag: string) =>
    promisify(execFile)("node", ["scripts/release-files.js", tag, "out"], {
      cwd: folder,
      // Built files are those of another test.
      env: { ...process.env, npm_config_ignore_scripts: "true" },
    });
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  await expect(write("v9.9.9")).rejects.toThrow(
    `The tag v9.9.9 is not the version of user-groups, which is ${version}.`,
  );
  await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n### Added\n\n- More.\n");
  await expect(write(`v${version}`)).rejects.toThrow(`CHANGELOG.md has no section "## ${version} - DATE".`);
  const changes = `## Unreleased\n\n## ${version} - 2026-11-28\n\n### Added\n\n- This.\n\n## 0.0.1 - 2026-01-01\n\n- That.\n`;
  await writeFile(join(folder, "CHANGELOG.md"), changes);
  await write(`v${version}`);

  const out = join(folder, "out");
  expect(await readFile(join(out, "notes.md"), "utf8")).toBe("### Added\n\n- This.");
  const packed = ["user-groups", "user-groups-client", "user-groups-site-config"].map(
    (name) => `${name}-${version}.tgz`,
  );
  expect((await readdir(out)).toSorted()).toEqual(["notes.md", "sbom.cdx.json", ...packed]);
  const { bomFormat, components } = JSON.parse(await readFile(join(out, "sbom.cdx.json"), "utf8"));
  const listed = new Set(components.map(({ purl }: { readonly purl: string }) => decodeURIComponent(purl)));
  const licences = await promisify(execFile)("node", ["scripts/licences.js"]);
  const inProduction = licences.stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/^(.*) ([^ ]+): .*$/, "pkg:npm/$1@$2"));
  expect([bomFormat, inProduction.filter((each) => !listed.has(each))]).toEqual(["CycloneDX", []]);
  expect([...listed].filter((each) => String(each).includes("/vitest@"))).toEqual([]);
});
