import { afterAll, beforeAll, expect, test } from "vitest";
import { compareContracts } from "../../../src/cli/contract/check.js";
import { startTestService, type TestAccount, type TestService } from "../../support/service/test-service.js";

const MESSAGE = "Both API keys belong to the same account";

let service: TestService;
let account: TestAccount;
beforeAll(async () => {
  service = await startTestService();
  account = await service.createAccount();
});
afterAll(() => service.close());

async function compare(ours: string, theirs: string, against: string): Promise<number> {
  const keys = { CONTRACT_KEY: ours, CONTRACT_AGAINST_KEY: theirs };
  const output = { isJson: false, print: async () => undefined };
  return compareContracts(keys, { url: service.url, against }, output);
}

test("rejects one key, or two keys of one account", async () => {
  const { secret } = await account.createKey();
  const { secret: testing } = await account.createKey({ environment: "Testing" });
  for (const other of [secret, testing]) {
    for (const url of [service.url, `${service.url}/`]) {
      await expect(compare(secret, other, url)).rejects.toThrow(MESSAGE);
    }
  }
  expect(await service.query("SELECT id FROM user_group")).toEqual([]);
});

test("rejects one account behind two addresses and leaves nothing behind", async () => {
  const { secret } = await account.createKey();
  const { secret: other } = await account.createKey();
  const against = service.url.replace("127.0.0.1", "localhost");
  await expect(compare(secret, other, against)).rejects.toThrow(MESSAGE);
  expect(await service.query("SELECT id FROM user_group")).toEqual([]);
});
