import { describe, expect, test } from "vitest";
import { createSession, ENCRYPTION_KEY, resign } from "../../support/embed/sessions.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql({ encryptionKey: ENCRYPTION_KEY, tokenGraceSeconds: 60 });

describe("a running subscription", () => {
  const SUBSCRIPTION = "subscription { userGroupChanged { kind userGroup { name } } }";
  const refused = { errors: [{ extensions: { code: "UNAUTHENTICATED" } }] };

  async function subscribe(providedId: string) {
    const { service, keys } = graphql();
    const group = await createUserGroup(graphql(), providedId);
    const { token } = await createSession(service, keys.admin, { user_group_id: providedId });
    const stream = await openEventStream(service.url, `Bearer ${token}`, SUBSCRIPTION);
    return { group, stream };
  }

  test("gets changes, and ends when the group's token is rotated, even with a grace period", async () => {
    const { group, stream } = await subscribe("rotated stream");
    const { service, keys } = graphql();
    const rest = (method: string, body: object) =>
      callRest(`${service.url}/api/user`, method, keys.admin, body);
    await rest("PUT", { user_group_id: "rotated stream", name: "New" });
    expect(await stream.next()).toEqual({
      data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "New" } } },
    });
    await rest("POST", { current_token: group.token });
    expect(await stream.next()).toMatchObject(refused);
    expect(await stream.next()).toBeUndefined();
  });

  test("ends when the group is deleted", async () => {
    const { group, stream } = await subscribe("deleted stream");
    const { service, keys } = graphql();
    await callRest(`${service.url}/api/user`, "DELETE", keys.admin, { current_token: group.token });
    expect(await stream.next()).toMatchObject(refused);
    expect(await stream.next()).toBeUndefined();
  });

  test("ends when the session expires", async () => {
    const { service, keys } = graphql();
    await createUserGroup(graphql(), "expiring stream");
    const { token } = await createSession(service, keys.admin, { user_group_id: "expiring stream" });
    const expiring = await resign(service, token, { exp: Math.floor(Date.now() / 1000) + 2 });
    const stream = await openEventStream(service.url, `Bearer ${expiring}`, SUBSCRIPTION);
    expect(await stream.next()).toMatchObject(refused);
    expect(await stream.next()).toBeUndefined();
  });
});
