import { describe, expect, test } from "vitest";
import { issueApiKey } from "../../../src/domain/accounts/api-key.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import { createSession } from "../../support/embed/sessions.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { openSocket } from "../../support/graphql/web-socket-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { mistyped } from "../../support/secrets/secret-search.js";

const graphql = await startGraphql({ rateLimits: { maxAuthFailures: 0 } });
const { account, keys, service } = graphql;
await createUserGroup(graphql, "acme");
const session = (await createSession(service, keys.admin, { user_group_id: "acme" })).token;
const apiKey = issueApiKey(account.accountId, "Customer").secret;
const token = issueUserGroupToken(account.accountId);

const EITHER = "Send `Token <API_KEY>` or, to GraphQL, `Bearer <embed session or user group token>`.";
const INVALID = `The Authorization header is invalid. ${EITHER}`;
const UNKNOWN = `The credential is unknown. ${EITHER}`;
const KEY_UNKNOWN = "The API key is unknown, revoked or expired.";
const SEND_KEY = "This is an API key. Send `Authorization: Token <API_KEY>`.";
const TOKEN_UNKNOWN = "The user group token is unknown or was rotated.";
const SEND_TOKEN =
  "This is a user group token, which only GraphQL accepts. Send `Authorization: Bearer <user group token>`.";
const SESSION_INVALID =
  "The embed session cannot be verified: it was altered or cut off, or is not of this service.";
const SEND_SESSION =
  "This is an embed session, which only GraphQL accepts. Send `Authorization: Bearer <embed session>`.";
const NOT_IN_REST = {
  token:
    "This is a user group token. Only GraphQL accepts it, as `Bearer <user group token>`. Send `Authorization: Token <API_KEY>` here.",
  session:
    "This is an embed session. Only GraphQL accepts it, as `Bearer <embed session>`. Send `Authorization: Token <API_KEY>` here.",
};
const TOKEN_SCHEME = 'Token realm="user-groups"';
const BEARER_SCHEME = 'Bearer realm="user-groups"';
const BOTH_SCHEMES = `${TOKEN_SCHEME}, ${BEARER_SCHEME}`;

interface Row {
  readonly sent: string;
  readonly graphql: string;
  readonly rest: string;
  /** `WWW-Authenticate` of GraphQL; that of REST is always `Token`. */
  readonly schemes: string;
}

const row = (sent: string, graphql: string, rest = graphql, schemes = TOKEN_SCHEME): Row => ({
  sent,
  graphql,
  rest,
  schemes,
});

const ROWS: Readonly<Record<string, Row>> = {
  "an unknown API key": row(`Token ${apiKey}`, KEY_UNKNOWN),
  "a mistyped API key": row(`Token ${mistyped(keys.admin)}`, KEY_UNKNOWN),
  "an API key as Bearer": row(`Bearer ${keys.admin}`, SEND_KEY, SEND_KEY, BEARER_SCHEME),
  "an API key without scheme": row(keys.admin, SEND_KEY, SEND_KEY, BOTH_SCHEMES),
  "an API key as Basic": row(`Basic ${keys.admin}`, SEND_KEY, SEND_KEY, BOTH_SCHEMES),
  "an API key with a colon": row(`Token: ${keys.admin}`, SEND_KEY, SEND_KEY, BOTH_SCHEMES),
  "an API key and another word": row(`Token ${keys.admin} x`, SEND_KEY, SEND_KEY, BOTH_SCHEMES),
  "an unknown user group token": row(`Bearer ${token}`, TOKEN_UNKNOWN, NOT_IN_REST.token, BEARER_SCHEME),
  "a mistyped user group token": row(
    `bearer ${mistyped(token)}`,
    TOKEN_UNKNOWN,
    NOT_IN_REST.token,
    BEARER_SCHEME,
  ),
  "a user group token as Token": row(`Token ${token}`, SEND_TOKEN, NOT_IN_REST.token),
  "a user group token without scheme": row(token, SEND_TOKEN, NOT_IN_REST.token, BOTH_SCHEMES),
  "an embed session that was altered": row(
    `Bearer ${mistyped(session)}`,
    SESSION_INVALID,
    NOT_IN_REST.session,
    BEARER_SCHEME,
  ),
  "an embed session that was cut off in its claims": row(
    `Bearer ${session.slice(0, session.indexOf(".") + 9)}`,
    SESSION_INVALID,
    NOT_IN_REST.session,
    BEARER_SCHEME,
  ),
  "an embed session that was cut off in its header": row(
    `Bearer ${session.slice(0, 20)}`,
    SESSION_INVALID,
    NOT_IN_REST.session,
    BEARER_SCHEME,
  ),
  "an embed session as Token": row(`Token ${session}`, SEND_SESSION, NOT_IN_REST.session),
  "an embed session without scheme": row(session, SEND_SESSION, NOT_IN_REST.session, BOTH_SCHEMES),
  "an unknown text as Token": row("Token nonsense", UNKNOWN),
  "an unknown text as Bearer": row("Bearer nonsense-of-16-characters", UNKNOWN, UNKNOWN, BEARER_SCHEME),
  "another scheme": row("Basic eA==", INVALID, INVALID, BOTH_SCHEMES),
  "a scheme alone": row("Token", INVALID, INVALID, BOTH_SCHEMES),
};

const SUBSCRIPTION = 'subscription { userGroupChanged(by: { providedId: "acme" }) { kind } }';

describe.each(Object.entries(ROWS))("%s", (_, { sent, graphql: message, rest, schemes }) => {
  const secret = sent.replace(/^\w+:? +/, "").replace(/ .*/, "");
  const expectNoSecret = (reply: unknown) => {
    if (secret.length > 6) expect(JSON.stringify(reply)).not.toContain(secret);
  };

  test.each([
    [
      "GraphQL",
      () =>
        callRest(
          `${service.url}/graphql`,
          "POST",
          undefined,
          { query: "{ __typename }" },
          { authorization: sent },
        ),
    ],
    ["an event stream", () => openEventStream(service.url, sent, SUBSCRIPTION)],
  ] as const)("%s", async (_api, call) => {
    const reply = await call();
    expect(reply).toMatchObject({
      status: 401,
      headers: { "www-authenticate": schemes },
      body: { errors: [{ message, extensions: { code: "UNAUTHENTICATED" } }] },
    });
    expectNoSecret(reply.body);
  });

  test("a WebSocket, whose close reason fits", async () => {
    const client = await openSocket(service.url);
    client.send({ type: "connection_init", payload: { authorization: sent } });
    expect(await client.closed()).toEqual({ code: 4403, reason: message });
  });

  test.each(["/api/user", "/api/embed-session", "/site-config/docs"])("%s", async (path) => {
    const method = path === "/api/embed-session" ? "POST" : "GET";
    const reply = await callRest(service.url + path, method, undefined, {}, { authorization: sent });
    expect(reply).toMatchObject({
      status: 401,
      headers: { "www-authenticate": TOKEN_SCHEME },
      body: { error: { code: "unauthenticated", message: rest } },
    });
    expectNoSecret(reply.body);
  });
});

test("no credentials", async () => {
  expect(await graphql.call("{ userGroups { totalCount } }", {}, null)).toMatchObject({
    status: 401,
    headers: { "www-authenticate": BOTH_SCHEMES },
    body: {
      errors: [
        {
          message:
            "The Authorization header is missing. Send `Token <API_KEY>` or `Bearer <embed session or user group token>`.",
        },
      ],
    },
  });
  for (const path of ["/api/user", "/site-config/docs"])
    expect(await callRest(service.url + path, "GET", undefined, {})).toMatchObject({
      status: 401,
      headers: { "www-authenticate": TOKEN_SCHEME },
      body: {
        error: {
          message: "The Authorization header is missing. Send `Authorization: Token <API_KEY>`.",
        },
      },
    });
});

test("an embed session that ended is not called invalid", async () => {
  const { token: current } = await createUserGroup(graphql, "rotated");
  const created = await createSession(service, keys.admin, { user_group_id: "rotated" });
  await graphql.rest("POST", { current_token: current });
  const message =
    "The embed session has ended: its group was deleted, the token rotated or the API key revoked. Create another one.";
  expect(await graphql.front(created.token, "{ viewer { environment } }")).toMatchObject({
    status: 401,
    headers: { "www-authenticate": BEARER_SCHEME },
    body: { errors: [{ message }] },
  });
  const client = await openSocket(service.url);
  client.send({ type: "connection_init", payload: { authorization: `Bearer ${created.token}` } });
  expect(await client.closed()).toEqual({ code: 4403, reason: message });
});
