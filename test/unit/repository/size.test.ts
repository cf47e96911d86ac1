import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SETTING_SECTIONS } from "../../../src/config/settings.js";

/**
 * Maximum lines of TypeScript by folder, 10 % above the count, so that a fix needs no change here. Raise one only in a commit that gives the
 * reason, and lower it after a removal.
 */
const MAX_LINES: Readonly<Record<string, number>> = {
  "packages/site-config/src": 2_050,
  "packages/site-config/test": 1_300,
  "src/app": 800,
  "src/cli": 3_450,
  "src/config": 650,
  "src/domain": 5_750,
  "src/embedded-postgres": 750,
  "src/graphql": 9_800,
  "src/http": 2_550,
  "src/persistence": 9_250,
  "src/rest": 2_620,
  // With the callbacks by which a change reaches open pages: with 10,000, two fifths of the CPU time of generators.
  "src/services": 8_050,
  "src/telemetry": 750,
  "test/api": 26_000,
  "test/browser": 4_250,
  "test/citus": 430,
  // With the commands of the packed service.
  "test/operations": 4_000,
  "test/process": 4_600,
  "test/slow": 2_250,
  "test/smoke": 260,
  "test/support": 9_550,
  "test/unit": 5_200,
};
// 58, the six of OpenID Connect minus the four of workers and read replicas, PREVIEW_URL, how long and how many former values of groups are kept,
// PUBLIC_URL, and FRAME_ORIGINS: only an operator may let the console give tokens to pages of other origins.
const MAX_SETTINGS = 65;

test("every folder has a budget", () => {
  const folders = ["packages/site-config", "src", "test"].flatMap((parent) =>
    readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !["dist", "node_modules"].includes(entry.name))
      .map(({ name }) => `${parent}/${name}`),
  );
  expect(folders.toSorted()).toEqual(Object.keys(MAX_LINES));
});

test.each(Object.entries(MAX_LINES))("%s has at most %i lines", (folder, maxLines) => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.includes("node_modules/"),
  );
  const lines = files.reduce(
    (sum, name) => sum + readFileSync(join(folder, name), "utf8").split("\n").length - 1,
    0,
  );
  expect(lines).toBeLessThanOrEqual(maxLines);
});

test("the number of settings does not grow", () => {
  const settings = Object.values(SETTING_SECTIONS).flatMap((section) => Object.keys(section));
  expect(settings.length).toBeLessThanOrEqual(MAX_SETTINGS);
});
