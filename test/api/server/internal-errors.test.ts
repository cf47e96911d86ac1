import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const query = `{ userGroup(by: { providedId: "acme" }) { name } }`;
const acme = { user_group_id: "acme", name: "Acme" };

describe("an internal error", () => {
  let service: TestService;
  let key: string;
  beforeAll(async () => {
    service = await startTestService();
    key = (await (await service.createAccount()).createKey()).secret;
    // An error that no code expects: a missing column.
    await service.query("ALTER TABLE user_group RENAME COLUMN name TO gone");
  });
  afterAll(() => service.close());

  test("is a 500 without details, logged once with the request ID", async () => {
    service.log.length = 0;
    const reply = await callRest(`${service.url}/api/user`, "GET", key, acme);
    expectError(reply, 500, { code: "internal", message: "Something went wrong on our side." });
    expectLoggedOnce(reply.headers["x-request-id"]);
  });

  test("is the same over GraphQL", async () => {
    service.log.length = 0;
    const reply = await callGraphql(service.url, key, query);
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual({
      data: { userGroup: null },
      errors: [
        {
          message: "Something went wrong on our side.",
          locations: [{ line: 1, column: 3 }],
          path: ["userGroup"],
          extensions: { code: "INTERNAL", requestId: reply.headers["x-request-id"] },
        },
      ],
    });
    expectLoggedOnce(reply.headers["x-request-id"]);
  });

  test("is the same for a subscriber", async () => {
    await service.query("ALTER TABLE user_group RENAME COLUMN gone TO name");
    expect((await callRest(`${service.url}/api/user`, "GET", key, acme)).status).toBe(200);
    const by = `by: { providedId: "acme" }`;
    const stream = await openGroupStream(
      service.url,
      `Token ${key}`,
      `subscription { userGroupChanged(${by}) { userGroup { mapping { schemaId } } } }`,
    );
    await service.query("ALTER TABLE mapping_entry RENAME COLUMN schema_id TO gone");
    service.log.length = 0;
    await callGraphql(
      service.url,
      key,
      `mutation { updateUserGroup(input: { ${by}, name: "New" }) { userErrors { code } } }`,
    );
    const requestId = stream.headers["x-request-id"];
    expect(await stream.next()).toMatchObject({
      errors: [{ message: "Something went wrong on our side.", extensions: { code: "INTERNAL", requestId } }],
    });
    expect(requestId).toEqual(expect.any(String));
    expectLoggedOnce(requestId);
    stream.close();
  });

  function expectLoggedOnce(requestId: unknown): void {
    const errors = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    expect(errors).toEqual([
      expect.objectContaining({
        requestId,
        msg: "request failed",
        err: expect.objectContaining({ message: expect.stringContaining("column") }),
      }),
    ]);
  }
});
