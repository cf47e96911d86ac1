import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SETTING_SECTIONS } from "../../../src/config/settings.js";

/** About 5 % above the count, so that a fix needs no change here. Raise a limit only in a commit that gives the reason, and lower it after a removal. */
const MAX_LINES = { src: 37_900, test: 49_000 };
// 58, the six of OpenID Connect, PREVIEW_URL, and how long and how many former values of groups are kept.
const MAX_SETTINGS = 63;

test.each(Object.entries(MAX_LINES))("%s has at most %i lines", (folder, maxLines) => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
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
