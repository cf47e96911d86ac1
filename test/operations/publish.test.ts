import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

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
    const { version } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
    expect((await publish("--dry-run")).stdout).toMatch(
      new RegExp(`^\\+ (@user-groups/)?[a-z-]+@${version}$`, "m"),
    );
  });

  test("is not published without provenance", async () => {
    await expect(publish()).rejects.toThrow(/provenance/);
  });
});
