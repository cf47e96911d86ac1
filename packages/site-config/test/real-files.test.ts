import { expect, test } from "vitest";
import { validateSiteConfig } from "../src/validate.js";
import { REFUSED, readRealFile, realFiles } from "./real-files.js";

test.skipIf(realFiles.length === 0)("rejects only the real files that decision 17 lists", () => {
  expect(realFiles.length).toBeGreaterThanOrEqual(112);
  const refused = realFiles.flatMap((name) => {
    const { valid, errors } = validateSiteConfig(readRealFile(name), { strict: false });
    return valid ? [] : [[name, errors.map(({ code, pointer }) => [code, pointer])]];
  });
  expect(Object.fromEntries(refused)).toEqual(REFUSED);
});

test.skipIf(realFiles.length === 0)("accepts at least 90 real files in strict mode", () => {
  const accepted = realFiles.filter((name) => validateSiteConfig(readRealFile(name), { strict: true }).valid);
  expect(accepted.length).toBeGreaterThanOrEqual(90);
});

test.skipIf(realFiles.length === 0)("reports each finding once, in document order", () => {
  for (const name of realFiles) {
    const { errors, notices } = validateSiteConfig(readRealFile(name), { strict: true });
    const findings = [...errors, ...notices].map(
      ({ code, pointer, message }) => `${code} ${pointer} ${message}`,
    );
    expect(new Set(findings).size).toBe(findings.length);
    const places = errors.map(({ line = 0, column = 0 }) => line * 100_000 + column);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  }
});
