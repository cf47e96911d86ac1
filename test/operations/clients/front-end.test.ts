import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Environment, fetchQuery, getSingularSelector, requestSubscription } from "relay-runtime";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createGuideProject, type GuideProject } from "../../support/clients/guide-project.js";
import { checkTypes } from "../../support/clients/packed-client.js";
import { compileForRelay, hasRelayCompiler } from "../../support/clients/relay-compiler.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry, UPDATE } from "../../support/graphql/user-group-operations.js";
import { openPage } from "../../support/pages/chromium.js";
import { shown, useChromium } from "../../support/pages/playground-page.js";
import { freePort } from "../../support/programs/free-port.js";

const graphql = useGraphql({ corsOrigins: "*" });
const TIMEOUT_MS = 120_000;
const RENAMED = expect.stringMatching(/^Renamed/);
const CLIENTS = ["with-fetch", "with-urql", "with-apollo"] as const;

let guide: GuideProject;
beforeAll(async () => {
  guide = await createGuideProject();
});
afterAll(() => guide?.remove());

test("the snippets compile with the generated types", async () => {
  expect(await checkTypes(guide.directory, "tsconfig.json")).toEqual([]);
});

describe.each(CLIENTS)("%s", (file) => {
  test("shows the group and each change in Node", async () => {
    const { id, token } = await create(file);
    const { showGroup } = await load(file);
    const seen: Data[] = [];
    const stop = await showGroup(`${graphql().service.url}/graphql`, token, (group: Data) =>
      seen.push(group),
    );
    await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ id, name: file, version: 1 }), TIMEOUT_MS);
    await renameUntil(file, () => expect(seen.at(-1)).toMatchObject({ id, name: RENAMED }));
    expect(seen.at(-1)).toMatchObject({
      properties: { region: "EU" },
      mapping: [{ schemaId: "a", dataSource: { providedId: "sales" } }],
    });
    stop();
  });
});

test.skipIf(!hasRelayCompiler)("Relay's environment shows the group and each change in Node", async () => {
  const { artefactOf } = await compileForRelay("own-group.js");
  const { id, token } = await create("relay");
  const { createEnvironment } = await load("with-relay");
  const environment: Environment = createEnvironment(`${graphql().service.url}/graphql`, token);
  const reply: Data = await fetchQuery(environment, artefactOf("ownGroupQuery"), {}).toPromise();
  const selector = getSingularSelector(artefactOf("ownGroup_group"), reply.viewer.userGroup);
  if (!selector) throw new Error("The reply has no fragment of the group.");
  const fragment = environment.lookup(selector);
  const seen: Data[] = [fragment.data];
  expect(seen[0]).toMatchObject({ name: "relay", properties: { region: "EU" } });
  const query = environment.subscribe(fragment, ({ data }) => void seen.push(data));
  const changes = requestSubscription(environment, {
    subscription: artefactOf("ownGroupSubscription"),
    variables: {},
  });
  await renameUntil("relay", () => expect(seen.at(-1)).toMatchObject({ name: RENAMED }));
  expect(environment.getStore().getSource().getRecordIDs()).toContain(id);
  for (const { dispose } of [query, changes]) dispose();
});

describe("in Chromium", () => {
  const browser = useChromium();

  test.each(CLIENTS)("%s shows the group and each change, from another origin", async (file) => {
    const providedId = `${file}-page`;
    const { token } = await create(providedId);
    const url = await servePage(file, token);
    const { page, complaints } = await openPage(browser(), url);
    await shown(page, "#name").toBe(providedId);
    await renameUntil(providedId, async () => expect(await page.innerText("#name")).toMatch(/^Renamed/));
    expect(complaints).toEqual([]);
  });
});

async function create(providedId: string): Promise<Data> {
  const values = { properties: { region: "EU" }, mapping: [entry("a", "sales")] };
  return createUserGroup(graphql(), providedId, values);
}

/** Imports a snippet as a module of its own: its packages are bundled with it. */
async function load(file: string): Promise<Data> {
  const path = join(guide.directory, `${file}.bundle.js`);
  await writeFile(path, await guide.bundle(`${file}.ts`, "node"));
  return import(pathToFileURL(path).href);
}

/** Serves a page that shows the name of the token's group. @returns its URL */
async function servePage(file: string, token: string): Promise<string> {
  const call = `showGroup(${JSON.stringify(`${graphql().service.url}/graphql`)}, ${JSON.stringify(token)},
    (group) => { document.getElementById("name").textContent = group?.name; });`;
  const main = `import { showGroup } from "./${file}.js";\n${call}`;
  await writeFile(join(guide.directory, `${file}-page.ts`), `// @ts-nocheck\n${main}`);
  const script = await guide.bundle(`${file}-page.ts`, "browser");
  const server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(
      isScript
        ? script
        : '<!doctype html><link rel="icon" href="data:,"><p id="name"></p><script type="module" src="/page.js"></script>',
    );
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${port}/`;
}

/** Renames the group repeatedly until the front end notices: it may not have subscribed yet. */
async function renameUntil(providedId: string, noticed: () => void | Promise<void>): Promise<void> {
  let times = 0;
  await vi.waitFor(async () => {
    times += 1;
    await graphql().run(UPDATE, { input: { by: { providedId }, name: `Renamed ${times}` } });
    await noticed();
  }, TIMEOUT_MS);
}
