import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const encryptionKey = randomBytes(32);
const PUBLISH = "FUNCTION pg_notify(text, text)";
let follower: TestService;
let key: string;

beforeAll(async () => {
  follower = await startTestService({ encryptionKey });
  key = (await (await follower.createAccount()).createKey()).secret;
  await callRest(`${follower.url}/api/user`, "GET", key, { user_group_id: "acme", name: "Acme" });
});
afterAll(() => follower.close());

/** A service that cannot publish the change that it has made. */
async function changeUnpublished(name: string): Promise<TestService> {
  const service = await startTestService({ encryptionKey, use: follower });
  await follower.query(`REVOKE EXECUTE ON ${PUBLISH} FROM PUBLIC`);
  const reply = await callRest(`${service.url}/api/user`, "PUT", key, { user_group_id: "acme", name });
  expect(reply.status).toBe(200);
  return service;
}

test("unpublished changes are published at shutdown", async () => {
  const query = `subscription { userGroupChanged(by: { providedId: "acme" }) { userGroup { name } } }`;
  const stream = await openGroupStream(follower.url, `Token ${key}`, query);
  const service = await changeUnpublished("Late");
  let failures = 0;
  service.services.changes.reportUnpublished(() => {
    failures += 1;
  });
  await callRest(`${service.url}/api/user`, "PUT", key, { user_group_id: "acme", name: "Later" });
  await expect.poll(() => failures).toBeGreaterThan(0);
  // Otherwise it would be published again only after a second.
  await follower.query(`GRANT EXECUTE ON ${PUBLISH} TO PUBLIC`);
  await service.services.changes.close();
  expect(service.services.changes.unpublished).toBe(0);
  expect(await stream.next()).toEqual({ data: { userGroupChanged: { userGroup: { name: "Later" } } } });
  stream.close();
  await service.close();
});

test("changes that cannot be published are reported, and the shutdown continues", async () => {
  const service = await changeUnpublished("Lost");
  let reported = 0;
  service.services.changes.reportUnpublished((_error, lost) => {
    reported += lost;
  });
  await service.services.changes.close();
  expect(reported).toBe(1);
  await service.close();
  expect(reported).toBe(1);
});
