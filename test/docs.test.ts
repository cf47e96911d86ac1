import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SETTING_NAMES } from "../src/config.js";

const root = new URL("..", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");

test("the README's table of settings has each setting, and no other", () => {
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual([...SETTING_NAMES].toSorted());
});

test("links between documents lead somewhere", () => {
  for (const [, target = ""] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
    expect(() => readdirOrFile(new URL(target, root))).not.toThrow();
  }
});

test("a comment that names a decision names one that is recorded", () => {
  const records = readdirSync(new URL("docs/decisions/", root)).map((name) => Number.parseInt(name, 10));
  const sources = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  for (const source of sources) {
    const text = readFileSync(new URL(`src/${source}`, root), "utf8");
    for (const [, number] of text.matchAll(/[Dd]ecision (\d+)/g)) expect(records).toContain(Number(number));
  }
});

function readdirOrFile(url: URL): unknown {
  return url.pathname.endsWith(".md") ? readFileSync(url) : readdirSync(url);
}
