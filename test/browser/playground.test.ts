import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { exampleOperations } from "../../console/pages/examples.js";
import { createDemoAccount } from "../../src/services/data-sources/demo-account.js";
import { builtPages } from "../support/pages/built-pages.js";
import { openPage } from "../support/pages/chromium.js";
import { findBarriers } from "../support/pages/console-page.js";
import {
  DOCS,
  eventually,
  HEADERS,
  openTab,
  putKey,
  QUERY,
  RESULT,
  shown,
  TABS,
  useChromium,
  VARIABLES,
  waitUntilStored,
  write,
} from "../support/pages/playground-page.js";
import { callRest } from "../support/rest/rest-client.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

const EXAMPLES = exampleOperations(undefined)
  .map(({ query }) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1])
  .join(" ");

let service: TestService;
let demoKey: string | undefined;
beforeAll(async () => {
  service = await startTestService({
    pagesDirectory: await builtPages(),
    console: true,
    demoKey: () => demoKey,
  });
});
afterAll(() => service.close());

describe("playground in Chromium", () => {
  const browser = useChromium();
  const open = async () => {
    const watched = await openPage(browser(), `${service.url}/graphql`);
    // Questions before mutations.
    watched.page.on("dialog", (dialog) => dialog.accept());
    return watched;
  };
  const newKey = async () => {
    const account = await service.createAccount();
    return { ...account, ...(await account.createKey()) };
  };

  test("opens with examples, a hint for the headers and working editors", async () => {
    const { page, complaints, elsewhere } = await open();
    await shown(page, TABS).toBe(EXAMPLES);
    await shown(page, QUERY).toContain("query List(");
    await shown(page, HEADERS).toContain('// "Authorization": "Token <API_KEY>"');
    const workers = () => page.workers().map((worker) => new URL(worker.url()).pathname);
    for (const name of ["editor", "json", "graphql"]) {
      const path = new RegExp(`^/assets/${name}-worker-[\\w-]{8}\\.js$`);
      await eventually(workers).toContainEqual(expect.stringMatching(path));
    }
    await write(page, QUERY, "{ userG");
    await shown(page, ".suggest-widget.visible").toContain("userGroup");
    await write(page, HEADERS, "oops");
    await page.locator(`${HEADERS} .squiggly-error`).waitFor({ state: "attached" });
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });

    // On a phone, the reply is below the editors.
    await page.setViewportSize({ width: 390, height: 900 });
    const box = async (selector: string) =>
      (await page.locator(selector).boundingBox()) ?? { y: 0, width: 0 };
    const [editors, reply] = [await box(".graphiql-editors"), await box(".graphiql-response")];
    expect(reply.y).toBeGreaterThan(editors.y + 100);
    expect(Math.min(editors.width, reply.width)).toBeGreaterThan(300);
  });

  test("shows the schema without a key, with the theme of another page, and returns to the last tab", async () => {
    const { page, complaints, elsewhere } = await openPage(browser(), `${service.url}/`);
    await page.evaluate('localStorage.setItem("user-groups:theme", "dark")');
    await page.goto(`${service.url}/graphql`);
    const editors = page.locator(".monaco-editor[role=code]");
    const dark = page.locator(".monaco-editor[role=code].vs-dark");
    await eventually(() => editors.count()).toBeGreaterThan(2);
    await shown(page, QUERY).toContain("query List(");
    expect(await dark.count()).toBe(await editors.count());
    await page.getByLabel("Theme").selectOption("Light");
    await eventually(() => dark.count()).toBe(0);
    await page.getByLabel("Show Documentation Explorer").click();
    await page.locator(DOCS).getByText("CreateDataSourcePayload", { exact: true }).click();
    await shown(page, DOCS).toContain("The errors; empty if the mutation succeeded.");
    await openTab(page, "GetOrCreate");
    await waitUntilStored(page, '"activeTabIndex":1');
    await page.reload();
    await shown(page, TABS).toBe(EXAMPLES);
    await shown(page, `${TABS}[aria-selected=true]`).toBe("GetOrCreate");
    await shown(page, QUERY).toContain("mutation GetOrCreate(");
    await eventually(() => editors.count()).toBeGreaterThan(2);
    expect(await dark.count()).toBe(0);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test("runs an operation with the key from the headers, does not store the key, and shows why one is rejected", async () => {
    const { secret, name } = await newKey();
    const { page, complaints, elsewhere } = await open();
    await putKey(page, secret);
    await page.keyboard.press("Control+Enter");
    await shown(page, RESULT).toContain('"totalCount": 0');
    await page.getByText("Response headers: 200").click();
    await shown(page, "#response-headers pre").toMatch(/x-request-id: [\w-]{36}/);
    await shown(page, "#response-headers pre").not.toMatch(/authorization|ugk_/i);
    const query = "query Mine { viewer { accountName } }";
    await write(page, QUERY, query);
    // The playground also stores what was typed so far.
    await waitUntilStored(page, query);
    await page.keyboard.press("Control+Enter");
    await shown(page, RESULT).toContain(`"accountName": "${name}"`);
    await page.getByLabel("Show History").click();
    await shown(page, ".graphiql-history-items").toContain("Mine");
    await eventually(() => page.evaluate('localStorage.getItem("graphiql:queries")')).toContain("Mine");
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(secret);
    await page.reload();
    await page.locator(".graphiql-history-items").getByText("Mine").last().click();
    await shown(page, QUERY).toContain(query);
    await shown(page, HEADERS).toContain("<API_KEY>");
    expect(page.url()).toBe(`${service.url}/graphql`);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
    await putKey(page, "wrong");
    await page.getByLabel("Execute query").click();
    await shown(page, RESULT).toContain('"code": "UNAUTHENTICATED"');
    const report = expect.stringContaining("the server responded with a status of 401");
    expect({ complaints, elsewhere }).toEqual({ complaints: [report], elsewhere: [] });
  });

  test("uses the key in the other tabs, which list, rotate and watch", async () => {
    const { secret } = await newKey();
    const group = { user_group_id: "acme", name: "Acme Inc.", mapping: { charts: "sales" } };
    const call = (method: string, fields: object = {}) =>
      callRest(`${service.url}/api/user`, method, secret, { ...group, ...fields });
    const [token = ""] = /ugt_\w+/.exec(JSON.stringify(await call("GET"))) ?? [];
    const { page, complaints, elsewhere } = await open();
    const run = () => page.getByLabel("Execute query").click();
    await putKey(page, secret);

    await openTab(page, "GetOrCreate");
    await openTab(page, "List");
    await shown(page, HEADERS).toContain(secret);
    await run();
    await shown(page, RESULT).toContain('"schemaId": "charts"');

    await openTab(page, "Rotate");
    await page.getByRole("button", { name: "Variables" }).click();
    // The editor closes quotes and braces.
    await write(page, VARIABLES, `{"token":"${token}`);
    await run();
    await shown(page, RESULT).toContain('"token": "ugt_');

    await openTab(page, "Watch");
    await run();
    let times = 0;
    const textAfterChange = async () => {
      // Decision 12a: the same name again would be no change.
      times += 1;
      await call("PUT", { name: `Acme ${times}` });
      return page.locator(RESULT).innerText();
    };
    await eventually(textAfterChange).toContain("UPDATED");
    await page.getByLabel("Stop query").click();
    await page.getByLabel("Execute query").waitFor();
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test("with the demo key, runs the first example with one click, and the next one shows its result", async () => {
    const { accounts, dataSources } = service.services;
    const { customerKey = "" } = (await createDemoAccount(accounts, dataSources)) ?? {};
    demoKey = customerKey;
    onTestFinished(() => {
      demoKey = undefined;
    });
    const { page, complaints, elsewhere } = await open();
    await shown(page, QUERY).toContain("query List(");
    await page.getByLabel("Execute query").click();
    await shown(page, RESULT).toContain('"totalCount": 0');
    await openTab(page, "GetOrCreate");
    await page.getByLabel("Execute query").click();
    await shown(page, RESULT).toContain('"isNew": true');
    await openTab(page, "List");
    await page.getByLabel("Execute query").click();
    await shown(page, RESULT).toContain('"name": "Sales database"');
    await page.getByRole("button", { name: "Headers" }).click();
    await shown(page, HEADERS).toContain(`"Authorization": "Token ${customerKey}"`);
    await waitUntilStored(page, "query List");
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(customerKey);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test("uses the console's session, shows whose it is, and changes no other account than it has named", async () => {
    demoKey = (await newKey()).secret;
    onTestFinished(() => {
      demoKey = undefined;
    });
    const [one, other] = [await newKey(), await newKey()];
    const testing = await one.createKey({ environment: "Testing" });
    const { page, complaints, elsewhere } = await openPage(browser(), `${service.url}/`);
    const signIn = (secret: string) =>
      page.evaluate(`fetch("console/session", {
        method: "POST", headers: { "x-console": "session", "content-type": "application/json" },
        body: ${JSON.stringify(JSON.stringify({ api_key: secret }))}
      }).then(({ status }) => status)`);
    expect([await signIn(one.secret), await signIn(testing.secret)]).toEqual([200, 200]);
    await page.goto(`${service.url}/graphql`);
    await shown(page, "#account").toBe(`${one.name} · Customer`);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      await eventually(() => findBarriers(page)).toEqual([]);
    }
    await page.getByLabel("Environment").selectOption("Testing");
    await shown(page, "#account").toBe(`${one.name} · Testing`);
    await page.getByLabel("Environment").selectOption("Customer");

    const questions: string[] = [];
    page.on("dialog", async (dialog) => {
      questions.push(dialog.message());
      await (questions.length === 1 ? dialog.dismiss() : dialog.accept());
    });
    await openTab(page, "GetOrCreate");
    await page.getByLabel("Execute query").click();
    await shown(page, RESULT).toContain("The mutation was not sent.");
    // As another page does. The first account's session is replaced.
    await signIn(other.secret);
    await page.getByLabel("Execute query").click();
    await shown(page, RESULT).toContain('"isNew": true');
    await shown(page, "#account").toBe(`${other.name} · Customer`);
    expect(questions).toEqual([one, other].map(({ name }) => expect.stringContaining(`${name} · Customer`)));
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });
});
