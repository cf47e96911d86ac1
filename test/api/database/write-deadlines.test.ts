import { afterAll, beforeAll, expect, test } from "vitest";
import type { Writer } from "../../../src/domain/accounts/caller.js";
import { startTestService, type TestAccount, type TestService } from "../../support/service/test-service.js";

let service: TestService;
let account: TestAccount;
let writer: Writer;
beforeAll(async () => {
  service = await startTestService({ poolSize: 1 });
  account = await service.createAccount();
  const { id } = await account.createKey();
  const { accountId, name } = account;
  const [row] = await service.query("SELECT token_key_id FROM account WHERE id = $1", [accountId]);
  writer = {
    accountId,
    accountName: name,
    environment: "Customer",
    keyId: id,
    actor: { keyId: id, name: "test", requestId: null },
    tokenKeyId: row.token_key_id,
    scope: "admin",
  };
  await create(writer, "first");
});
afterAll(() => service.close());

const create = (by: Writer, providedId: string) =>
  service.services.userGroups.create(by, providedId, { name: "Acme", properties: "{}", mapping: [] });
const rename = (by: Writer) =>
  service.services.userGroups.update(by, { by: "providedId", providedId: "first" }, { name: "Renamed" });

test.each([
  ["an insert", (by: Writer) => create(by, "late")],
  ["an update", rename],
])("%s whose deadline passes while waiting for a connection is not sent", async (_, write) => {
  const deadline = { isOver: false };
  let outcome: Promise<unknown> | undefined;
  await service.database.transaction({ accountId: account.accountId }, async () => {
    outcome = write({ ...writer, deadline }).catch((error: unknown) => error);
    await expect.poll(() => service.database.poolUsage.waiting).toBe(1);
    deadline.isOver = true;
  });
  expect(await outcome).toMatchObject({
    code: "unavailable",
    message: "The request took too long. Try again shortly.",
  });
  await expect.poll(() => service.database.poolUsage.used).toBe(0);
  const groups = await service.query("SELECT provided_id, name FROM user_group");
  expect(groups).toEqual([{ provided_id: "first", name: "Acme" }]);
});
