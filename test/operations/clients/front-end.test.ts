import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { UserGroupsClient } from "../../../clients/typescript/src/index.js";
import { checkTypes } from "../../support/clients/packed-client.js";
import { createKeys } from "../../support/faults/faulted-service.js";
import { openPage } from "../../support/pages/chromium.js";
import { shown, useChromium } from "../../support/pages/playground-page.js";
import { databaseUrl } from "../../support/postgres/database-url.js";
import { createTestDatabase } from "../../support/postgres/test-database.js";
import { freePort } from "../../support/programs/free-port.js";
import { createTestProcesses } from "../../support/service/running-process.js";
import { createGuideProject, type GuideProject } from "../support/guide-project.js";
import { compileForRelay, hasRelayCompiler } from "../support/relay-compiler.js";

const HTML =
  '<!doctype html><link rel="icon" href="data:,"><p id="name"></p><b id="sign"></b><script type="module" src="/page.js"></script>';
/** The shortest lifetime of a session. */
const EXPIRES_IN_S = 60;

/** What an application does with each client: a query shows the group, and a subscription follows it. */
const FOLLOW = {
  fetch: `
    import { followGroup } from "./with-fetch.js";
    followGroup(url, () => fetch("/embed-session"), show, showStale);`,
  "graphql-sse": `
    import { showGroup } from "./with-graphql-sse.js";
    showGroup(url, getSession, show, showStale);`,
  urql: `
    import { createUrqlClient } from "./with-urql.js";
    const client = createUrqlClient(url, getSession, showStale);
    client.query(OWN_GROUP, {}).subscribe(({ data }) => show(data?.viewer?.userGroup));
    client.subscription(OWN_GROUP_CHANGED, {}).subscribe(() => undefined);`,
  apollo: `
    import { createApolloClient } from "./with-apollo.js";
    const client = createApolloClient(url, getSession, showStale);
    client.watchQuery({ query: OWN_GROUP }).subscribe(({ data }) => show(data?.viewer?.userGroup));
    client.subscribe({ query: OWN_GROUP_CHANGED }).subscribe(() => undefined);`,
};

/** The same with Relay. @param artefacts the folder of what its compiler has made */
const followWithRelay = (artefacts: string) => `
  import { fetchQuery, getSingularSelector, requestSubscription } from "relay-runtime";
  import query from "${artefacts}/ownGroupQuery.graphql.js";
  import subscription from "${artefacts}/ownGroupSubscription.graphql.js";
  import fragment from "${artefacts}/ownGroup_group.graphql.js";
  import { createEnvironment } from "./with-relay.js";
  const environment = createEnvironment(url, getSession, showStale);
  const { viewer } = await fetchQuery(environment, query, {}).toPromise();
  const snapshot = environment.lookup(getSingularSelector(fragment, viewer.userGroup));
  show(snapshot.data);
  environment.subscribe(snapshot, ({ data }) => show(data));
  requestSubscription(environment, { subscription, variables: {} });`;

const browser = useChromium();
const processes = createTestProcesses();
let guide: GuideProject;
beforeAll(async () => {
  guide = await createGuideProject();
});
afterAll(async () => {
  await guide?.remove();
  await processes.close();
});

test("the snippets compile with the generated types", async () => {
  expect(await checkTypes(guide.directory, "tsconfig.json")).toEqual([]);
});

test("a page of each client shows every change: after a restart, also when opened meanwhile, a new signing key and the end of its session", async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const encryptionKey = randomBytes(32);
  const [apiKey = ""] = await createKeys(database, encryptionKey);
  const PORT = String(await freePort());
  const pagePort = await freePort();
  const CORS_ORIGINS = `http://127.0.0.1:${pagePort}`;
  const connection = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: encryptionKey.toString("base64"),
  };
  const start = () => processes.serve({ env: { ...connection, CORS_ORIGINS, LOG_LEVEL: "warn", PORT } });
  const service = await start();
  const { userGroups } = new UserGroupsClient({ baseUrl: service.url, apiKey });
  await userGroups.getOrCreate({ providedId: "acme", name: "first" });
  const scripts = await bundleScripts(service.url);
  await servePages(pagePort, scripts, () =>
    userGroups.createEmbedSession({ providedId: "acme", expiresIn: EXPIRES_IN_S }),
  );
  const openPages = () =>
    Promise.all([...scripts.keys()].map((name) => openPage(browser(), `${CORS_ORIGINS}/${name}`)));
  const pages = await openPages();
  const openedAt = performance.now();
  const allShow = (name: string) => Promise.all(pages.map(({ page }) => shown(page, "#name").toBe(name)));
  const rename = async (name: string) => {
    await userGroups.update({ providedId: "acme", name });
    await allShow(name);
  };
  await allShow("first");
  await rename("second");

  service.kill("SIGTERM");
  await service.ended;
  await Promise.all(pages.map(({ page }) => shown(page, "#sign").toBe("Reconnecting…")));
  pages.push(...(await openPages()));
  // Longer than clients repeat failed requests themselves.
  await sleep(5_000);
  await start();
  await rename("after a restart");
  await Promise.all(pages.map(({ page }) => shown(page, "#sign").toBe("")));

  const rotated = await processes.run(["signing-key", "rotate", "--revoke"], { env: connection });
  expect(rotated.code).toBe(0);
  await rename("after a new signing key");

  await sleep(openedAt + (EXPIRES_IN_S + 1) * 1000 - performance.now());
  await rename("after the session");
  // Browsers report failed requests themselves.
  const complaints = pages.flatMap((each) => each.complaints).filter((text) => !/ERR_|status of/.test(text));
  expect(complaints).toEqual([]);
});

/** Bundles the page of each client. @returns their scripts by name */
async function bundleScripts(serviceUrl: string): Promise<ReadonlyMap<string, string>> {
  const applications = new Map(Object.entries(FOLLOW));
  if (hasRelayCompiler) {
    const { directory } = await compileForRelay("own-group.js");
    applications.set("relay", followWithRelay(join(directory, "src", "__generated__")));
  }
  const scripts = new Map<string, string>();
  for (const [name, application] of applications) {
    const start = `// @ts-nocheck
      import { OWN_GROUP, OWN_GROUP_CHANGED } from "./documents.js";
      const url = ${JSON.stringify(serviceUrl)};
      const getSession = ({ signal }) => fetch("/embed-session", { signal });
      const showStale = (isStale) => { document.getElementById("sign").textContent = isStale ? "Reconnecting…" : ""; };
      const show = (group) => { document.getElementById("name").textContent = group?.name; };`;
    scripts.set(name, await guide.bundle(start + application));
  }
  return scripts;
}

/** Serves the pages and a path that creates a session, as an application does, until the test ends. */
async function servePages(
  port: number,
  scripts: ReadonlyMap<string, string>,
  createSession: () => Promise<object>,
): Promise<void> {
  const server = createServer(({ url = "" }, response) => {
    const [, name = "", file] = url.split("/");
    if (name === "embed-session") {
      createSession().then(
        (session) => response.end(JSON.stringify(session)),
        () => response.writeHead(503).end(),
      );
      return;
    }
    response.setHeader("content-type", file ? "text/javascript" : "text/html");
    response.end(file ? scripts.get(name) : HTML.replace("/page.js", `/${name}/page.js`));
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
}
