import { describe, expect, test } from "vitest";
import { inspect, listFiles, readSource } from "../../support/repository/source-files.js";

/**
 * The layers of src, lowest first; a file imports files of its own layer and of lower layers. Folders of one layer do not import
 * each other. A file directly in src belongs to the layer `main` (docs/ARCHITECTURE.md).
 */
const FLOORS: readonly (readonly string[])[] = [
  ["telemetry"],
  ["migrations", "domain"],
  ["persistence", "embedded-postgres"],
  ["services"],
  ["graphql", "rest"],
  ["http"],
  ["config"],
  ["app"],
  ["cli"],
  ["main"],
];

/** The rooms of a layer, in order: a file imports files of its own room and of earlier rooms of its layer. */
const ROOMS: readonly string[] = [
  "shared",
  "requests",
  "accounts",
  "audit",
  "data-sources",
  "user-groups",
  "authentication",
  "session-templates",
  "site-configs",
  "webhooks",
  "transfer",
  "database",
  "pages",
  "openapi",
  "server",
];

/** Folders that only some layers can import. */
const RESTRICTED: Readonly<Record<string, { readonly importers: readonly string[] }>> = {
  "src/embedded-postgres/": { importers: ["app"] },
  "src/persistence/": { importers: ["services", "config", "app", "cli"] },
  "src/telemetry/export/": { importers: ["app", "config"] },
};
/** Layers without rooms. */
const WITHOUT_ROOMS = ["telemetry", "app", "cli"];
/** The layers that can import each module of our packages. */
const PACKAGE_IMPORTERS: Readonly<Record<string, readonly string[]>> = {
  "@user-groups/client": ["cli"],
  "@user-groups/site-config": ["domain", "services", "graphql", "rest", "http", "cli"],
  "@user-groups/site-config/check": ["cli"],
  "@user-groups/site-config/check-format": ["cli"],
  "@user-groups/site-config/near-name": ["rest"],
};
/** The modules of the package that need Node.js. */
const FOR_NODE = ["packages/site-config/src/check.ts", "packages/site-config/src/cli.ts"];
/** The same for the console's folders; the others contain pages, which do not import each other. */
const CONSOLE_LAYERS: Readonly<Record<string, readonly string[]>> = {
  api: [],
  routing: [],
  session: ["api"],
  parts: ["session", "routing", "api"],
};
const MAIN_FLOOR = "main";
const READS_ENVIRONMENT = ["src/main.ts", "src/cli.ts"];
const LONGEST_FILE = 400;
const MAX_FILES_IN_FOLDER = 25;
/** The folders that can import each telemetry library. */
const OBSERVING = { packages: /^(?:prom-client$|@opentelemetry\/(?!api$))/, folder: "src/telemetry/" };

/** Generated files. */
const GENERATED = "clients/typescript/src/generated/";

const files = [
  "src",
  "migrations",
  "test",
  "bench/src",
  "clients/typescript/src",
  "packages/site-config/src",
  "packages/site-config/test",
  "console/src",
  "console/pages",
]
  .flatMap(listFiles)
  .filter((path) => !path.startsWith(GENERATED))
  .map(readSource);
const sources = files.filter(({ path }) => path.startsWith("src/") || path.startsWith("migrations/"));

test("finds the sources", () => {
  expect(sources.length).toBeGreaterThan(80);
  expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
});

test("imports point to lower layers and to earlier rooms", () => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports.filter((target) => !mayImport(path, target)).map((target) => `${path} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test.each(["clients/typescript/", "packages/site-config/"])(
  "%s imports nothing else of the repository",
  (folder) => {
    const own = files.filter(({ path }) => path.startsWith(folder));
    const strays = own.flatMap(({ path, imports }) =>
      imports.filter((target) => !target.startsWith(folder)).map((target) => `${path} imports ${target}`),
    );
    expect(own.length).toBeGreaterThan(10);
    expect(strays).toEqual([]);
  },
);

test("our packages are imported by their names, and only by some layers", () => {
  const wrong = sources.flatMap(({ path, imports, packages }) =>
    [
      ...imports.filter((target) => /^(?:clients|packages)\//.test(target)),
      ...packages.filter(
        (name) => name.startsWith("@user-groups/") && !PACKAGE_IMPORTERS[name]?.includes(folderOf(path)),
      ),
    ].map((target) => `${path} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("the rules of site configurations run in browsers", () => {
  const needing = files.filter(
    ({ path, packages }) =>
      path.startsWith("packages/site-config/src/") && packages.some((name) => name.startsWith("node:")),
  );
  expect(needing.map(({ path }) => path)).toEqual(FOR_NODE);
});

test("the console imports only its own files, and pages only its parts", () => {
  const wrong = files
    .filter(({ path }) => path.startsWith("console/"))
    .flatMap(({ path, imports }) =>
      imports
        .filter((target) => !mayImportInConsole(path, target))
        .map((target) => `${path} imports ${target}`),
    );
  expect(wrong).toEqual([]);
});

test("there are no circular imports", () => {
  const graph = new Map(files.map(({ path, imports }) => [path, imports]));
  expect(files.map(({ path }) => findRing(graph, path)).filter((ring) => ring !== null)).toEqual([]);
});

test("no file exceeds the line limit", () => {
  const long = files.filter(({ text }) => text.trimEnd().split("\n").length > LONGEST_FILE);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test("no source or test folder exceeds the file limit", () => {
  const counts = new Map<string, number>();
  for (const { path } of files.filter(({ path }) => /^(?:src|test)\//.test(path))) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > MAX_FILES_IN_FOLDER)).toEqual([]);
  expect(counts.get("src")).toBe(2);
});

test("there are no type assertions", () => {
  expect(files.flatMap(({ path, faults }) => faults.map((fault) => `${path}: ${fault}`))).toEqual([]);
});

test("only the entry points read the environment", () => {
  const readers = sources.filter(({ text }) => /process\.env\b/.test(text)).map(({ path }) => path);
  expect(readers.toSorted()).toEqual(READS_ENVIRONMENT.toSorted());
});

test("only the telemetry layer knows how metrics and traces are exported", () => {
  const knowing = sources.filter(({ packages }) => packages.some((name) => OBSERVING.packages.test(name)));
  expect(knowing.length).toBeGreaterThan(3);
  expect(knowing.map(({ path }) => path).filter((path) => !path.startsWith(OBSERVING.folder))).toEqual([]);
});

test("every lint suppression has a reason", () => {
  const bare = files.filter(({ text }) =>
    /(?:biome-ignore[^:\n]*|@ts-(?:ignore|expect-error))[ \t]*$/m.test(text),
  );
  expect(bare.map(({ path }) => path)).toEqual([]);
});

describe("these checks", () => {
  test.each([
    ["const a = b as string;", ["asserts a type"]],
    ["const a = b as const;", []],
    ["const a = <string>b;", ["asserts a type"]],
  ])("%s", (text, faults) => {
    expect(inspect("test.ts", text).faults).toEqual(faults);
  });

  test.each([
    ["src/rest/a.ts", "src/services/b.ts", true],
    ["src/services/a.ts", "src/rest/b.ts", false],
    ["src/rest/a.ts", "src/graphql/b.ts", false],
    ["src/rest/a.ts", "src/persistence/b.ts", false],
    ["src/main.ts", "src/app/b.ts", true],
    ["src/http/a.ts", "src/embedded-postgres/b.ts", false],
    ["src/services/user-groups/a.ts", "src/services/accounts/b.ts", true],
    ["src/services/accounts/a.ts", "src/services/user-groups/b.ts", false],
  ])("%s may import %s: %s", (from, to, may) => {
    expect(mayImport(from, to)).toBe(may);
  });

  test("distinguish the console's parts from its pages", () => {
    expect(mayImportInConsole("console/src/groups/a.tsx", "console/src/parts/b.tsx")).toBe(true);
    expect(mayImportInConsole("console/src/groups/a.tsx", "console/src/keys/b.tsx")).toBe(false);
    expect(mayImportInConsole("console/src/app.tsx", "src/app.ts")).toBe(false);
  });

  test("detect a circular import", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["a"]],
    ]);
    expect(findRing(graph, "a")).toEqual(["a", "b", "c", "a"]);
    expect(findRing(new Map([["a", ["b", "b"]]]), "a")).toBeNull();
  });
});

/** The folder that a file belongs to, below `src` or `console/src`. */
function folderOf(path: string): string {
  const [top = "", folder = "", ...rest] = path.split("/");
  if (top === "migrations") return top;
  return rest.length > 0 ? folder : MAIN_FLOOR;
}

/** The position of a file's room in the order of rooms; files directly in a layer come last. */
function roomOf(path: string): number {
  const [, , room = "", ...rest] = path.split("/");
  return rest.length > 0 && ROOMS.includes(room) ? ROOMS.indexOf(room) : ROOMS.length;
}

function mayImport(from: string, to: string): boolean {
  const [folder, target] = [folderOf(from), folderOf(to)];
  const restricted = Object.entries(RESTRICTED).find(
    ([path]) => to.startsWith(path) && !from.startsWith(path),
  );
  if (restricted && !restricted[1].importers.includes(folder)) return false;
  if (folder === target) return WITHOUT_ROOMS.includes(folder) || roomOf(from) >= roomOf(to);
  const floor = FLOORS.findIndex((folders) => folders.includes(folder));
  return floor > FLOORS.findIndex((folders) => folders.includes(target));
}

function mayImportInConsole(from: string, to: string): boolean {
  if (to.startsWith("console/pages/")) return from.startsWith("console/pages/");
  if (!to.startsWith("console/src/")) return false;
  const folder = folderOf(from.replace("console/", ""));
  const target = folderOf(to.replace("console/", ""));
  const allowed = CONSOLE_LAYERS[folder] ?? Object.keys(CONSOLE_LAYERS);
  return folder === target || folder === MAIN_FLOOR || allowed.includes(target);
}

function findRing(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | null {
  const seen = new Set<string>();
  const walk = (path: string, trail: string[]): string[] | null => {
    for (const next of graph.get(path) ?? []) {
      if (next === start) return [...trail, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const ring = walk(next, [...trail, next]);
      if (ring) return ring;
    }
    return null;
  };
  return walk(start, [start]);
}
