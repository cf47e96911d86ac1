import { expect, test } from "vitest";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();

test("an error has its path, over JSON and over an event stream", async () => {
  const { service } = graphql();
  const { token } = await createUserGroup(graphql(), "refused");
  const refusal = (locations: object[], path: string[]) => ({
    message: "This token is not allowed to read `UserGroup.teamId`.",
    locations,
    path,
    extensions: { code: "FORBIDDEN", requestId: expect.any(String) },
  });
  const query = "{ viewer { userGroup { name teamId } } }";
  const headers = { authorization: `Bearer ${token}` };
  expect(await callRest(`${service.url}/graphql`, "POST", undefined, { query }, headers)).toMatchObject({
    status: 403,
    body: { errors: [refusal([{ line: 1, column: 29 }], ["viewer", "userGroup", "teamId"])] },
  });
  const subscription = "subscription { userGroupChanged { userGroup { teamId } } }";
  expect(await openEventStream(service.url, `Bearer ${token}`, subscription)).toMatchObject({
    status: 403,
    body: { errors: [refusal([{ line: 1, column: 47 }], ["userGroupChanged", "userGroup", "teamId"])] },
  });
});
