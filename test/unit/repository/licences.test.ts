import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Licences that allow everything that the MIT licence allows, provided that their text stays with the package. */
const ALLOWED = new Set([
  "MIT",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  // Of the Python Software Foundation, which ask changed copies for a summary of the changes.
  "PSF-2.0",
  "Python-2.0",
]);

test("the packages are under the MIT licence, and contain it", async () => {
  const licence = await readFile("LICENSE", "utf8");
  expect(licence).toMatch(/^MIT License\n/);
  for (const folder of ["clients/typescript", "packages/site-config"]) {
    expect(await readFile(`${folder}/LICENSE`, "utf8")).toBe(licence);
    expect(JSON.parse(await readFile(`${folder}/package.json`, "utf8"))).toMatchObject({ license: "MIT" });
  }
  expect(JSON.parse(await readFile("package.json", "utf8"))).toMatchObject({ license: "MIT" });
});

test("every production dependency has an allowed licence", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/licences.js"]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(100);
  // Of several licences, all must be allowed: "(MIT AND BSD-3-Clause)".
  const isAllowed = (line: string) =>
    (line.split(": ")[1] ?? "")
      .replaceAll(/[()]/g, "")
      .split(" AND ")
      .every((name) => ALLOWED.has(name));
  expect(lines.filter((line) => !isAllowed(line))).toEqual([]);
});
