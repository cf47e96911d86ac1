import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";

const RELEASE = await readFile("docs/release.md", "utf8");

describe.each([".", "clients/typescript", "packages/site-config"])("%s", (folder) => {
  test("has no placeholder for the names of its owner", async () => {
    expect(await readFile(`${folder}/package.json`, "utf8")).not.toMatch(
      /OWNER|TODO|FIXME|example\.(?:com|org)/i,
    );
  });

  test("release.md explains each pre-release version", async () => {
    const { dependencies = {} } = await readPackage(folder);
    for (const [name, version] of Object.entries(dependencies)) {
      if (version.includes("-")) expect(RELEASE).toContain(`| \`${name}\` | ${version} |`);
    }
  });
});

test("all packages have one version", async () => {
  const { version } = await readPackage(".");
  expect(await readPackage("clients/typescript")).toMatchObject({ version });
  expect(await readPackage("packages/site-config")).toMatchObject({ version });
});

async function readPackage(
  folder: string,
): Promise<{ readonly version: string; readonly dependencies?: Readonly<Record<string, string>> }> {
  return JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
}
