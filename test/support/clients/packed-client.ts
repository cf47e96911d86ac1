import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { readDocument, snippetsOf } from "../repository/doc-snippets.js";
import { cachedDirectory, hashOfFiles } from "../service/build-cache.js";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const client = join(project, "clients", "typescript");
const run = promisify(execFile);

/** A project with the packed client package installed. */
export interface ClientConsumer {
  readonly directory: string;
  /** The installed package's directory. */
  readonly installed: string;
  /** The package as `npm pack` wrote it. */
  readonly tarball: string;
  /** The package's files by path. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/**
 * Packs the client package and installs it in a new directory.
 * @param borrowed further packages, linked from this repository
 */
export async function installClient(borrowed: readonly string[]): Promise<ClientConsumer> {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-consumer-"));
  const name = `client-${await hashOfFiles(["clients/typescript", "tsconfig.json"])}`;
  const packing = await cachedDirectory(name, async (target) => {
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", target], { cwd: client });
    await writeFile(join(target, "report.json"), stdout);
  });
  const [packed]: readonly { filename: string; files: readonly { path: string }[] }[] = JSON.parse(
    await readFile(join(packing, "report.json"), "utf8"),
  );
  if (!packed) throw new Error("npm pack reported no package.");
  await cp(join(packing, packed.filename), join(directory, packed.filename));
  await writeFile(
    join(directory, "package.json"),
    '{ "name": "consumer", "private": true, "type": "module" }\n',
  );
  const options = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...options, join(directory, packed.filename)], { cwd: directory });
  for (const name of borrowed) {
    const place = join(directory, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(project, "node_modules", name), place);
  }
  return {
    directory,
    installed: join(directory, "node_modules", "@user-groups", "client"),
    tarball: join(directory, packed.filename),
    files: packed.files.map(({ path }) => path),
    remove: () => rm(directory, { recursive: true }),
  };
}

/** Copies the example into the project, where it resolves the installed packages. */
export async function copyExample({ directory }: ClientConsumer): Promise<void> {
  await cp(join(client, "examples", "app"), join(directory, "app"), { recursive: true });
}

/** Copies the installed package into a new project, which has no other package. @returns the project's directory */
export async function copyPackage({ installed }: ClientConsumer): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-bundle-"));
  await cp(installed, join(directory, "node_modules", "@user-groups", "client"), { recursive: true });
  return directory;
}

/** Type-checks a project. @returns the positions of errors as `file:line` */
export async function checkTypes(directory: string, config: string): Promise<string[]> {
  const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
  const output = await new Promise<string>((resolve) => {
    const args = [tsc, "--pretty", "false", "-p", config];
    execFile(process.execPath, args, { cwd: directory }, (_error, stdout) => resolve(stdout));
  });
  const places = output.matchAll(/^(?<file>[^\s(]+)\((?<line>\d+),\d+\): error /gm);
  return [...places].map(({ groups }) => `${groups?.["file"]}:${groups?.["line"]}`);
}

/** A program and a page that use the client package, and code that must not compile. */
const STRICT = {
  target: "es2023",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  // Check the package's own types, too.
  skipLibCheck: false,
  noEmit: true,
};
const NODE = {
  compilerOptions: { ...STRICT, module: "nodenext", lib: ["es2023", "dom"], types: ["node"] },
  include: ["*.ts", "*.cts"],
  exclude: ["page.ts"],
};
const BROWSER = {
  compilerOptions: {
    ...STRICT,
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2023", "dom"],
    types: [],
    jsx: "react-jsx",
  },
  files: ["page.ts", "app.tsx", "use.ts"],
};
/** CommonJS programs of the oldest module setting that knows `exports`. */
const COMMON_JS = {
  compilerOptions: { ...STRICT, module: "node16", lib: ["es2023", "dom"], types: ["node"] },
  files: ["use.cts"],
};
const USE = `
import { ApiError, responseOf, UserGroupsClient, verifyWebhook, type TypedDocument, type UserGroup } from "@user-groups/client";
import list from "@user-groups/client/persisted-queries.json" with { type: "json" };
import type { DocumentTypeDecoration } from "@graphql-typed-document-node/core";

const client = new UserGroupsClient({ baseUrl: "https://groups.example.com", apiKey: "ugk_live_a", timeoutMs: undefined });
interface Properties { readonly region: string }
const properties: Properties = { region: "EU" };
export const created: boolean = (await client.userGroups.getOrCreate({ providedId: "a", properties })).isNew;
export const groups: UserGroup[] = [];
for await (const group of client.userGroups.list({ filter: { schemaId: "a" } })) groups.push(group);
for (const result of await client.userGroups.upsertEach([{ providedId: "a" }]))
  if (result.ok) groups.push(result.userGroup); else throw result.error;
for await (const event of client.userGroups.watch({ providedId: "a" }))
  if (event.kind !== "DELETED") groups.push(event.userGroup);
declare const document: DocumentTypeDecoration<{ name: string }, { id: string }>;
declare const plain: TypedDocument<{ n: number }, { [key: string]: never }>;
export const name: string = (await client.request(document, { id: "a" }, { timeoutMs: 5 })).name;
export const n: number = (await client.request(plain)).n;
export const texts: Record<string, string> = list;
const event = await verifyWebhook({ body: "", headers: {}, secret: "whsec_" });
export const site = event.type === "site_config.published" ? event.data.siteConfig.site : null;
export const endpoint = event.type === "webhook_endpoint.disabled" ? event.data.webhookEndpoint.id : null;
export const group = "userGroup" in event.data ? event.data.userGroup.providedId : null;
export const left = responseOf(groups)?.rateLimit?.remaining;
export const code = (error: unknown) => error instanceof ApiError && error.code === "user_group_not_found";
`;
const USE_CTS = `
import client = require("@user-groups/client");
import browser = require("@user-groups/client/browser");
import react = require("@user-groups/client/react");
const groups: (client.UserGroup | browser.ViewerGroup)[] = [];
const deleted: Promise<void> = new client.UserGroupsClient({ baseUrl: "", apiKey: "" }).userGroups.delete({ currentToken: "" });
export = [groups, deleted, react.useUserGroup];
`;
const PAGE = `
import { createViewer, ViewerError, type ViewerState } from "@user-groups/client/browser";
const url = "https://groups.example.com";
const viewer = createViewer({ url, getSession: ({ signal }) => fetch("/embed-session", { signal }) });
createViewer({ url, getSession: async () => (await fetch("/embed-session")).json() });
createViewer({ url, getSession: () => ({ token: "ugt_a", expiresAt: null }) });
export const stop: () => void = viewer.watch(({ userGroup, signedOut }: ViewerState) => [userGroup?.version, signedOut]);
export const { name, properties, mapping } = await viewer.read({ signal: new AbortController().signal });
export const shown: string = mapping.map(({ schemaId, dataSource }) => schemaId + dataSource.providedId).join() + properties?.["a"];
export const status = (error: unknown) => (error instanceof ViewerError ? error.status : 0);
`;
/** Code that must not compile, one error per line. */
export const FAULTS = [
  `import { UserGroupsClient, type TypedDocument } from "@user-groups/client";`,
  `const client = new UserGroupsClient({ baseUrl: "", apiKey: "" });`,
  `declare const document: TypedDocument<{ name: string }, { id: string }>;`,
  "await client.userGroups.getOrCreate({ user_group_id: 'a' });",
  "await client.userGroups.getOrCreate({ userGroupId: 'a' });",
  "await client.userGroups.getOrCreate({ name: 'A' });",
  "await client.userGroups.update({ providedId: 'a', name: null });",
  "await client.userGroups.rotateToken({});",
  "client.userGroups.watch({ token: 'ugt_a' });",
  "await client.request(document);",
  "await client.request(document, { id: 1 });",
  "client.userGroups.list({ orderBy: { field: 'COLOUR' } });",
].join("\n");
/** The first lines compile. */
export const DECLARATIONS = 3;

/** Declarations that the guides' snippets assume. */
const GLOBALS = `
declare const client: import("@user-groups/client").UserGroupsClient;
declare const token: string;
declare function getSession(): Promise<string>;
interface Customer { readonly id: string; readonly name: string }
declare function sessionOf(customer: Customer): Promise<string>;
declare function signedInCustomer(cookies: string | undefined): Customer | undefined;
interface PageReply { header(name: string, value: string): PageReply; code(status: number): PageReply; send(body: object): unknown }
interface PageRequest { readonly headers: { readonly cookie?: string } }
declare const app: { get(path: string, handler: (request: PageRequest, reply: PageReply) => Promise<unknown>): void };
`;
/** What Angular's functions of the guide take and return: the package is not installed here. */
const ANGULAR = `
declare module "@angular/core" {
  export type Signal<T> = () => T;
  export interface WritableSignal<T> extends Signal<T> { set(value: T): void; asReadonly(): Signal<T> }
  export function signal<T>(initial: T): WritableSignal<T>;
  export abstract class DestroyRef { abstract onDestroy(callback: () => void): () => void }
  export function Component(options: object): (type: abstract new () => object, context: unknown) => void;
  export function inject<T>(token: abstract new (...args: never) => T): T;
}
`;
const GUIDES = [
  "clients/typescript/README.md",
  "docs/embedding.md",
  "docs/graphql.md",
  "docs/leaked-secret.md",
  "docs/recipes/typescript.md",
  "docs/verify-sessions.md",
];

/** The project's files by name; `tsconfig.json` covers all but the page. */
export const CONSUMER_FILES: Readonly<Record<string, string>> = {
  "use.ts": USE,
  "use.cts": USE_CTS,
  "page.ts": PAGE,
  "app.tsx": /^```tsx\n(.*?)^```$/ms.exec(readDocument("clients/typescript/README.md"))?.[1] ?? "",
  "faults.ts": FAULTS,
  "globals.d.ts": GLOBALS,
  "angular.d.ts": ANGULAR,
  ...frameworkFiles(),
  ...snippets(),
  "tsconfig.json": JSON.stringify(NODE),
  "tsconfig.browser.json": JSON.stringify(BROWSER),
  "tsconfig.common-js.json": JSON.stringify(COMMON_JS),
};

/** The modules of the guide for Vue, Angular and Svelte. */
function frameworkFiles(): Record<string, string> {
  const found = snippetsOf("docs/frameworks.md").filter(({ language }) => language === "ts");
  if (found.length < 5) throw new Error("The modules of the guide were not found.");
  return Object.fromEntries(found.map(({ file = "", code }) => [file, code]));
}

/** The guides' snippets, each as a separate module. */
function snippets(): Record<string, string> {
  const texts = GUIDES.map(readDocument);
  const found = texts.flatMap((text) => [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code));
  if (found.length < 10) throw new Error("The guides' snippets were not found.");
  return Object.fromEntries(found.map((code, index) => [`snippet-${index + 1}.ts`, `${code}export {};\n`]));
}

/** Time limit for the example, so that none outlives a killed test. */
const LIFETIME_MS = 300_000;

/**
 * Starts the copied example until the test ends.
 * @returns its URL @throws Error with its output when it exits instead
 */
export async function startExample(
  { directory }: ClientConsumer,
  settings: {
    readonly serviceUrl: string;
    readonly apiKey: string;
    readonly audience: string;
    readonly port: number;
  },
): Promise<string> {
  const child = spawn(process.execPath, [join(directory, "app", "server.js")], {
    env: {
      PATH: process.env["PATH"],
      USER_GROUPS_URL: settings.serviceUrl,
      USER_GROUPS_API_KEY: settings.apiKey,
      USER_GROUPS_AUDIENCE: settings.audience,
      PORT: String(settings.port),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIFETIME_MS,
    killSignal: "SIGKILL",
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  let complaints = "";
  child.stderr.on("data", (text) => {
    complaints += text;
  });
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^The example is available at (http:\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The example did not start: ${complaints}`);
}
