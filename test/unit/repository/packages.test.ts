import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const RELEASE = await readFile("docs/release.md", "utf8");
/** Without the variables by which npm recognises a CI that could sign a package. */
const { PATH, HOME } = process.env;
/** The tests publish nowhere: nothing listens there. */
const NO_REGISTRY = [
  "--registry",
  "http://127.0.0.1:1",
  "--//127.0.0.1:1/:_authToken=none",
  "--fetch-retries=0",
];

describe.each([".", "clients/typescript", "packages/site-config"])("%s", (folder) => {
  const publish = (...options: string[]) =>
    promisify(execFile)("npm", ["publish", "--ignore-scripts", ...NO_REGISTRY, ...options], {
      cwd: folder,
      env: { PATH, HOME },
    });

  test("can be published", async () => {
    const { version } = await readPackage(folder);
    expect((await publish("--dry-run")).stdout).toMatch(
      new RegExp(`^\\+ (@user-groups/)?[a-z-]+@${version}$`, "m"),
    );
  });

  test("is not published without provenance", async () => {
    await expect(publish()).rejects.toThrow(/provenance/);
  });

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
