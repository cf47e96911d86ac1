import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Environment } from "../../../src/domain/accounts/environment.js";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { GroupErasure } from "../../../src/services/transfer/group-erasure.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { startService, type TestAccount } from "../../support/service/test-service.js";

const encryptionKey = randomBytes(32);
/** With the application role, and with one that bypasses row-level security: then the statements alone keep tenants apart. */
const service = await startService({ encryptionKey, webhooks: { allowPrivate: true } });
const unprotected = await startService({ encryptionKey, use: service, bypassRowSecurity: true });

/** Creates, renames and deletes a group, with an endpoint that events are sent to. */
async function deleteGroup(account: TestAccount, environment: Environment, id: string): Promise<void> {
  const { secret } = await account.createKey({ environment });
  const query = `mutation ($id: String!) {
    createWebhookEndpoint(input: { name: $id, url: "https://93.184.216.34/hook" }) { userErrors { code } }
    createUserGroup(input: { providedId: $id, name: "A" }) { userErrors { code } }
    updateUserGroup(input: { by: { providedId: $id }, name: "B" }) { userErrors { code } }
    deleteUserGroup(input: { by: { providedId: $id } }) { userErrors { code } }
  }`;
  const { body } = await callGraphql(service.url, secret, query, { id });
  for (const payload of Object.values(Object(body).data)) expect(payload).toEqual({ userErrors: [] });
}

const deliver = (account: TestAccount) =>
  service.query("UPDATE webhook_delivery SET state = 'delivered' WHERE account_id = $1", [account.accountId]);
const age = (account: TestAccount) =>
  service.query("UPDATE audit_entry SET created_at = now() - interval '31 days' WHERE account_id = $1", [
    account.accountId,
  ]);
const deliveriesOf = ({ accountId }: TestAccount, environment: Environment) =>
  service.query(
    "SELECT id FROM webhook_delivery WHERE account_id = $1 AND environment = $2 AND subject LIKE 'user_group:%'",
    [accountId, environment],
  );

describe.each(["the application role", "a role that bypasses row-level security"])(
  "erasure with %s",
  (role) => {
    const erase = async ({ accountId }: TestAccount, id: string) => {
      const { database } = role === "the application role" ? service : unprotected;
      return new GroupErasure(database, new TokenVault([encryptionKey])).erase(
        { accountId, environment: "Customer" },
        id,
        false,
      );
    };

    test("deletes and counts deliveries of a group whose name the purge has replaced", async () => {
      const account = await service.createAccount();
      await deleteGroup(account, "Customer", "jane");
      await deliver(account);
      await age(account);
      await service.services.purgeJob.run();
      const names =
        "SELECT DISTINCT subject_name AS name FROM audit_entry WHERE account_id = $1 AND action LIKE 'user_group.%'";
      expect(await service.query(names, [account.accountId])).toEqual([
        { name: expect.stringMatching(/^erased:/) },
      ]);
      expect(await deliveriesOf(account, "Customer")).toHaveLength(3);
      expect(await erase(account, "jane")).toMatchObject({
        auditEntries: 0,
        deliveries: 3,
        pending: { count: 0 },
      });
      expect(await deliveriesOf(account, "Customer")).toEqual([]);
    });

    test("leaves the other environment, another account and other groups", async () => {
      const [account, other] = [await service.createAccount(), await service.createAccount()];
      for (const environment of ["Customer", "Testing"] as const) {
        for (const each of [account, other]) await deleteGroup(each, environment, "jane");
      }
      await deleteGroup(account, "Customer", "john");
      for (const each of [account, other]) await deliver(each);
      const left = () =>
        service.query(
          `SELECT account_id, environment::text, subject_name FROM audit_entry WHERE account_id = ANY ($1) AND action LIKE 'user_group.%'
          AND NOT (account_id = $2 AND environment = 'Customer' AND subject_name <> 'john') ORDER BY id`,
          [[account.accountId, other.accountId], account.accountId],
        );
      const before = await left();
      expect(before).toHaveLength(12);
      // Two endpoints of the environment got the events of the second group.
      expect(await erase(account, "jane")).toMatchObject({
        auditEntries: 3,
        deliveries: 3,
        pending: { count: 0 },
      });
      expect(await left()).toEqual(before);
      expect(await deliveriesOf(account, "Customer")).toHaveLength(6);
      for (const [each, environment] of [
        [account, "Testing"],
        [other, "Customer"],
        [other, "Testing"],
      ] as const)
        expect(await deliveriesOf(each, environment)).toHaveLength(3);
    });

    test("gives each account's group another pseudonym, and the same one each time", async () => {
      const accounts = [await service.createAccount(), await service.createAccount()];
      const pseudonyms = new Set<string>();
      for (const account of accounts) {
        for (const id of ["one", "two"]) {
          await deleteGroup(account, "Customer", id);
          const first = await erase(account, id);
          expect(await erase(account, id)).toMatchObject({ pseudonym: first.pseudonym });
          pseudonyms.add(first.pseudonym);
        }
      }
      // Equal ones would tell that both accounts had a group with this ID.
      expect(pseudonyms.size).toBe(4);
    });
  },
);
