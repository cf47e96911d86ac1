import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createViewer } from "../../clients/typescript/src/browser.js";
import { UserGroupsClient } from "../../clients/typescript/src/index.js";
import { useUserGroup, ViewerProvider } from "../../clients/typescript/src/react.js";
import { sessionToken } from "../support/clients/fake-page.js";
import { hang, reply } from "../support/clients/scripted-server.js";
import { openPage } from "../support/pages/chromium.js";
import { shown, useChromium } from "../support/pages/playground-page.js";
import { freePort } from "../support/programs/free-port.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

const SCRIPT = fileURLToPath(new URL("../support/clients/react-page.js", import.meta.url));
const HTML =
  '<!doctype html><title>Page</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/page.js"></script>';

const html = reply(200, HTML, { "content-type": "text/html" });
const valid = reply(200, { token: sessionToken() });
const refused = reply(401, { errors: [{ message: "No.", extensions: { code: "UNAUTHENTICATED" } }] });
/** Answers to requests for a session and to the service, and what the page shows. */
const FAILURES = {
  "session-401": { session: reply(401, {}), service: hang, status: "signed out no_session" },
  "session-500": { session: reply(500, {}), service: hang, status: "no_session" },
  "session-html": { session: html, service: hang, status: "invalid_session" },
  "session-silent": { session: hang, service: hang, status: "no_session" },
  // The service refuses it.
  "session-expired": { session: valid, service: refused, status: "signed out unauthenticated" },
  "service-500": { session: valid, service: reply(500, {}), status: "unexpected_reply" },
  "service-html": { session: valid, service: html, status: "unexpected_reply" },
  "service-silent": { session: valid, service: hang, status: "timeout" },
} as const;

const browser = useChromium();
let service: TestService;
let client: UserGroupsClient;
let server: Server;
let origin: string;
const requests = new Map<string, number>();

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  service = await startTestService({ corsOrigins: [origin] });
  const { secret } = await (await service.createAccount()).createKey();
  client = new UserGroupsClient({ baseUrl: service.url, apiKey: secret });
  for (const userGroupId of ["acme", "globex"])
    await client.userGroups.getOrCreate({ userGroupId, name: userGroupId, properties: { region: "EU" } });
  const bundle = await rolldown({
    input: SCRIPT,
    platform: "browser",
    // Strict mode subscribes twice.
    transform: { define: { "process.env.NODE_ENV": '"development"' } },
    logLevel: "silent",
  });
  const [{ code }] = (await bundle.generate({ format: "esm" })).output;
  server = createServer((request, response) => {
    const { url = "/" } = request;
    requests.set(url, (requests.get(url) ?? 0) + 1);
    const [, name, place] = url.split("/");
    const failure = Object.entries(FAILURES).find(([key]) => key === name)?.[1];
    if (failure) failure[place === "session" ? "session" : "service"](response);
    else if (url === "/page.js") response.setHeader("content-type", "text/javascript").end(code);
    else if (name === "sessions") void answerSession(response, place);
    else html(response);
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  client?.close();
  await service?.close();
});

async function answerSession(response: ServerResponse, userGroupId = ""): Promise<void> {
  const expiresIn = userGroupId === "globex" ? 60 : 900;
  const session = await client.userGroups.createEmbedSession({ userGroupId, expiresIn }).catch(() => null);
  reply(session ? 200 : 403, session)(response);
}

async function openDashboard(session: string, url = service.url) {
  const query = new URLSearchParams({ session, service: url });
  return (await openPage(browser(), `${origin}/?${query}`)).page;
}

test("a page with the React hook follows a group, also after a rotation, until it is deleted", async () => {
  const page = await openDashboard("/sessions/acme");
  await shown(page, "#group").toBe("acme in EU");
  await shown(page, "#status").toBe("live");
  expect(requests.get("/sessions/acme")).toBe(1);
  await client.userGroups.update({ userGroupId: "acme", properties: { region: "US" } });
  await shown(page, "#group").toBe("acme in US");
  // Ends the sessions of the group.
  await client.userGroups.rotateTokens([{ providedId: "acme" }]);
  await client.userGroups.update({ userGroupId: "acme", name: "Acme Inc." });
  await shown(page, "#group").toBe("Acme Inc. in US");
  await shown(page, "#status").toBe("live");
  expect(requests.get("/sessions/acme")).toBe(2);
  await client.userGroups.deleteMany([{ providedId: "acme" }]);
  await shown(page, "#status").toBe("deleted");
  await shown(page, "#group").toBe("");
  await page.getByRole("button", { name: "Refresh" }).click();
  await shown(page, "#status").toBe("signed out no_session");
});

test("in a minute, no failure makes a page send more than 12 requests, and a session may expire", async () => {
  const live = await openDashboard("/sessions/globex");
  const pages = await Promise.all(
    Object.entries(FAILURES).map(async ([name, { status }]) => {
      return { page: await openDashboard(`/${name}/session`, `${origin}/${name}`), name, status };
    }),
  );
  await sleep(60_000);
  for (const { page, name, status } of pages) {
    const counts = ["session", "graphql"].map((place) => requests.get(`/${name}/${place}`) ?? 0);
    expect(Math.max(...counts), `${name}: ${counts.join(" and ")}`).toBeLessThanOrEqual(12);
    expect(Math.max(...counts), name).toBeGreaterThan(0);
    await shown(page, "#status").toBe(status);
  }
  await expect.poll(() => requests.get("/sessions/globex")).toBe(2);
  await client.userGroups.update({ userGroupId: "globex", name: "Globex" });
  await shown(live, "#group").toBe("Globex in EU");
});

test("a server renders what every page shows first, and sends nothing", () => {
  const viewer = createViewer({
    url: "http://127.0.0.1:1",
    getSession: () => {
      throw new Error("Not on a server.");
    },
  });
  const Shown = () => createElement("p", null, JSON.stringify(useUserGroup()));
  const text = renderToString(createElement(ViewerProvider, { viewer }, createElement(Shown)));
  expect(text).toContain("isLoading&quot;:true");
  expect(() => renderToString(createElement(Shown))).toThrow("`ViewerProvider`");
});
