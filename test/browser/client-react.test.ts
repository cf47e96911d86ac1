import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createViewer } from "../../clients/typescript/src/browser.js";
import { UserGroupsClient } from "../../clients/typescript/src/index.js";
import { useUserGroup, ViewerProvider } from "../../clients/typescript/src/react.js";
import { reply } from "../support/clients/scripted-server.js";
import { openPage } from "../support/pages/chromium.js";
import { shown, useChromium } from "../support/pages/playground-page.js";
import { freePort } from "../support/programs/free-port.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

const SCRIPT = fileURLToPath(new URL("../support/clients/react-page.js", import.meta.url));
const HTML =
  '<!doctype html><title>Page</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/page.js"></script>';

const html = reply(200, HTML, { "content-type": "text/html" });
const browser = useChromium();
let service: TestService;
let client: UserGroupsClient;
let server: Server;
let origin: string;
let sessions = 0;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  service = await startTestService({ corsOrigins: [origin] });
  const { secret } = await (await service.createAccount()).createKey();
  client = new UserGroupsClient({ baseUrl: service.url, apiKey: secret });
  await client.userGroups.getOrCreate({ providedId: "acme", name: "acme", properties: { region: "EU" } });
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
    if (url === "/page.js") response.setHeader("content-type", "text/javascript").end(code);
    else if (url === "/session") void answerSession(response);
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

async function answerSession(response: ServerResponse): Promise<void> {
  sessions += 1;
  const session = await client.userGroups.createEmbedSession({ providedId: "acme" }).catch(() => null);
  reply(session ? 200 : 403, session)(response);
}

// What fails and is repeated, and how often, is in test/unit/viewer.test.ts.
test("a page with the React hook follows a group, also after a rotation, until it is deleted", async () => {
  const query = new URLSearchParams({ session: "/session", service: service.url });
  const { page } = await openPage(browser(), `${origin}/?${query}`);
  await shown(page, "#group").toBe("acme in EU");
  await shown(page, "#status").toBe("live");
  expect(sessions).toBe(1);
  await client.userGroups.update({ providedId: "acme", properties: { region: "US" } });
  await shown(page, "#group").toBe("acme in US");
  // Ends the sessions of the group.
  await client.userGroups.rotateTokens([{ providedId: "acme" }]);
  await client.userGroups.update({ providedId: "acme", name: "Acme Inc." });
  await shown(page, "#group").toBe("Acme Inc. in US");
  await shown(page, "#status").toBe("live");
  expect(sessions).toBe(2);
  await client.userGroups.deleteMany([{ providedId: "acme" }]);
  await shown(page, "#status").toBe("deleted");
  await shown(page, "#group").toBe("");
  await page.getByRole("button", { name: "Refresh" }).click();
  await shown(page, "#status").toBe("signed out no_session");
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
