import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createSidebar, sitePathOf } from "../../../docs/.vitepress/pages.js";
import { settings } from "../../../src/config/settings.js";
import { readDocument, userDocuments } from "../../support/repository/doc-snippets.js";

const root = new URL("../../../", import.meta.url);

test("the README's table lists existing settings", () => {
  const rows = [...readDocument("README.md").matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|/gm)];
  const names = rows.flatMap(([, cell = ""]) => cell.split(", ").map((name) => name.replaceAll("`", "")));
  expect(names).toContain("DATABASE_URL");
  expect(Object.keys(settings.shape)).toEqual(expect.arrayContaining(names));
});

/** Documents in folders of docs/. */
const nested = readdirSync(new URL("docs/", root), { recursive: true, encoding: "utf8" })
  .filter((path) => path.includes("/") && path.endsWith(".md"))
  .map((path) => `docs/${path}`);

const documents = [
  ...userDocuments(),
  "clients/typescript/README.md",
  "bench/README.md",
  "bench/results.md",
  ...nested,
];

test("code fits the site at 1440 px without scrolling", () => {
  const tooLong = documents.flatMap((document) =>
    [...readDocument(document).matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)]
      .flatMap(([, code = ""]) => code.split("\n"))
      .filter((line) => line.replaceAll("\t", "    ").length > 115)
      .map((line) => `${document}: ${line}`),
  );
  expect(tooLong).toEqual([]);
});

test("links between documents resolve", () => {
  for (const document of documents) {
    const folder = new URL(document, root);
    for (const [, path = "", anchor] of readDocument(document).matchAll(
      /\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g,
    )) {
      const target = new URL(path, folder);
      expect(existsSync(target), `${document}: ${path}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), `${document}: ${path}`).toContain(anchor);
    }
  }
});

test("the index lists the pages of the sidebar in the same order", () => {
  const sections = readDocument("docs/README.md").split(/^## /m).slice(1);
  const index = sections.map((section) => {
    const paths = [...section.matchAll(/\]\(([\w./-]+\.md)/g)].map(([, path = ""]) => `docs/${path}`);
    return {
      text: section.split("\n")[0],
      links: paths.map((path) => sitePathOf(path.replace("docs/../", ""))),
    };
  });
  const sidebar = createSidebar().map(({ text, items = [] }) => ({
    text,
    // A folder's link stands for its index, and the index does not list itself.
    links: items.flatMap(({ link = "" }) =>
      link === "/" ? [] : `${link.slice(1)}.md`.replace("/.md", "/index.md"),
    ),
  }));
  expect(index.slice(0, sidebar.length)).toEqual(sidebar);
});

test("comments refer only to recorded decisions", () => {
  const records = readdirSync(new URL("docs/decisions/", root)).map((name) => Number.parseInt(name, 10));
  const sources = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  for (const source of sources) {
    const text = readFileSync(new URL(`src/${source}`, root), "utf8");
    for (const [, number] of text.matchAll(/[Dd]ecision (\d+)/g)) expect(records).toContain(Number(number));
  }
});

/** The anchors that Markdown renderers give to headings. */
function anchorsOf(document: URL): readonly string[] {
  return [...readFileSync(document, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

test("functions named in the architecture guide's journeys exist", () => {
  const guide = readFileSync(new URL("docs/ARCHITECTURE.md", root), "utf8");
  const steps = [...guide.matchAll(/^\d+\. `(src\/[^`]+)`: (.+)$/gm)];
  const missing = steps.flatMap(([, path = "", names = ""]) => {
    const source = readFileSync(new URL(path, root), "utf8");
    return [...names.matchAll(/`#?(\w+)`/g)]
      .filter(([, name]) => !new RegExp(`\\b${name}\\b ?[<(]`).test(source))
      .map(([, name]) => `${path}: ${name}`);
  });
  expect(steps.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
