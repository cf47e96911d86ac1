import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDemoAccount } from "../../src/services/data-sources/demo-account.js";
import { builtPages } from "../support/pages/built-pages.js";
import { openPage } from "../support/pages/chromium.js";
import {
  HEADERS,
  openTab,
  QUERY,
  RESULT,
  shown,
  useChromium,
  waitUntilStored,
} from "../support/pages/playground-page.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

let service: TestService;
let demoKey: string | undefined;
let customerKey = "";
beforeAll(async () => {
  service = await startTestService({ pagesDirectory: await builtPages(), demoKey: () => demoKey });
  const demo = await createDemoAccount(service.services.accounts, service.services.dataSources);
  customerKey = demo?.customerKey ?? "";
});
afterAll(() => service.close());
beforeEach(() => {
  demoKey = customerKey;
});

describe("playground with the demo key in Chromium", () => {
  const browser = useChromium();

  test("runs the first example with one click, and the next one shows its result", async () => {
    const { page, complaints, elsewhere } = await openPage(browser(), `${service.url}/graphql`);
    await shown(page, QUERY).toContain("mutation GetOrCreate(");
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

  test("rejects a revoked demo key like any other", async () => {
    const { accounts } = service.services;
    const { accountId } = await accounts.ensure("demo");
    const key = { environment: "Testing", scope: "admin", name: "gone", expiresAt: null } as const;
    const { secret, apiKey } = await accounts.createKey({ accountId }, key);
    await accounts.revokeKey(apiKey.id);
    demoKey = secret;
    const { page } = await openPage(browser(), `${service.url}/graphql`);
    await page.getByLabel("Execute query").click();
    await shown(page, RESULT).toContain('"code": "UNAUTHENTICATED"');
  });
});
