import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UserGroupsClient } from "../../clients/typescript/src/index.js";
import { openPage } from "../support/pages/chromium.js";
import { shown, useChromium } from "../support/pages/playground-page.js";
import { freePort } from "../support/programs/free-port.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

const SCRIPT = fileURLToPath(new URL("../support/clients/react-page.js", import.meta.url));
const HTML =
  '<!doctype html><title>Page</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/page.js"></script>';

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
  await client.userGroups.getOrCreate({ userGroupId: "acme", name: "Acme", properties: { region: "EU" } });
  const bundle = await rolldown({
    input: SCRIPT,
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const [{ code }] = (await bundle.generate({ format: "esm" })).output;
  server = createServer(async (request, response) => {
    if (request.url === "/page.js") response.setHeader("content-type", "text/javascript").end(code);
    else if (request.url === "/embed-session") {
      sessions += 1;
      const session = await client.userGroups
        .createEmbedSession({ userGroupId: "acme" })
        .catch(() => response.writeHead(403) && null);
      response.end(JSON.stringify(session));
    } else response.setHeader("content-type", "text/html").end(HTML);
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  client?.close();
  await service?.close();
});

test("the React hooks show a group, read it again, and renew the session after a rotation", async () => {
  const { page } = await openPage(browser(), `${origin}/?service=${encodeURIComponent(service.url)}`);
  await shown(page, "#group").toBe("Acme in EU");
  await shown(page, "#status").toBe("shown");
  const loaded = sessions;
  const refresh = page.getByRole("button", { name: "Refresh" });
  await client.userGroups.update({ userGroupId: "acme", properties: { region: "US" } });
  await refresh.click();
  await shown(page, "#group").toBe("Acme in US");
  expect(sessions).toBe(loaded);
  // Ends the sessions of the group.
  await client.userGroups.rotateTokens([{ providedId: "acme" }]);
  await client.userGroups.update({ userGroupId: "acme", name: "Acme Inc." });
  await refresh.click();
  await shown(page, "#group").toBe("Acme Inc. in US");
  expect(sessions).toBeGreaterThan(loaded);
  await client.userGroups.deleteMany([{ providedId: "acme" }]);
  await refresh.click();
  // The last state stays visible beside the error.
  await shown(page, "#status").toBe("There is no session.");
  await shown(page, "#group").toBe("Acme Inc. in US");
});
