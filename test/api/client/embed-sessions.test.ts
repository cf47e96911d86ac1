import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  ConnectionError,
  type EmbedSession,
  EmbedSessionVerificationError,
  type KeySet,
  NotFoundError,
  UserGroupsClient,
  verifyEmbedSession,
} from "../../../clients/typescript/src/index.js";
import { usePackageClient } from "../../support/clients/package-client.js";
import { ENCRYPTION_KEY, encodePart, readViewer, resign } from "../../support/embed/sessions.js";

const fixture = usePackageClient({ encryptionKey: ENCRYPTION_KEY });
const variables = { region: "EU", nested: { note: "größer" } };
let session: EmbedSession;
let keySet: KeySet;
let audience: string;
let teamId: number;
let groupToken: string;

beforeAll(async () => {
  const { client, service, account } = fixture();
  ({ teamId, token: groupToken } = await client.userGroups.getOrCreate({
    providedId: "acme",
    name: "Acme",
  }));
  session = await client.userGroups.createEmbedSession({ providedId: "acme", variables, expiresIn: 60 });
  keySet = Object(await (await fetch(`${service.url}/.well-known/jwks.json`)).json());
  audience = `${account.name}/Customer`;
});

test("a created session is accepted by the service and verified without it", async () => {
  const { service } = fixture();
  expect((await readViewer(service, session.token)).status).toBe(200);
  expect(await verifyEmbedSession(session.token, { keySet, audience })).toEqual({
    teamId,
    environment: "Customer",
    expiresAt: session.expiresAt,
    variables,
  });
});

test("a token for another tool is created by a session template", async () => {
  const { client } = fixture();
  const { userGroups } = client;
  const input = {
    name: "bi",
    algorithm: "HS256",
    secret: "0123456789abcdef0123456789abcdef",
    claims: { sub: "{{ userGroup.providedId }}", region: "{{ variables.region }}" },
    url: "https://bi.example.com/{{ token }}",
  };
  const create =
    "mutation ($input: CreateSessionTemplateInput!) { createSessionTemplate(input: $input) { userErrors { message } } }";
  expect(await client.request(create, { input })).toEqual({ createSessionTemplate: { userErrors: [] } });
  const created = await userGroups.createTemplateSession({ providedId: "acme", template: "bi", variables });
  expect(created).toEqual({
    template: "bi",
    token: expect.any(String),
    expiresAt: expect.any(Date),
    url: `https://bi.example.com/${created.token}`,
  });
  const refused = userGroups.createTemplateSession({ providedId: "acme", template: "bi" });
  await expect(refused).rejects.toThrow("send the variable `region`");
  const another = userGroups.createTemplateSession({ providedId: "acme", template: "b" });
  await expect(another).rejects.toThrow(NotFoundError);
});

test("a reply for another session template is refused", async () => {
  const answer = { template: "other", token: "eyJ…", expiresAt: "2026-11-22T18:15:00.000Z", url: null };
  const data = { createTemplateSession: { ...answer, userErrors: [] } };
  const client = new UserGroupsClient({
    baseUrl: "https://groups.example.com",
    apiKey: "ugk_live_x",
    fetch: async () => Response.json({ data }),
  });
  const refused = client.userGroups.createTemplateSession({ providedId: "acme", template: "bi" });
  await expect(refused).rejects.toThrow("for another session template");
});

test("a session is created with the group's token, and not for an unknown group", async () => {
  const { userGroups } = fixture().client;
  const { token } = await userGroups.createEmbedSession({ currentToken: groupToken });
  expect((await verifyEmbedSession(token, { keySet, audience })).variables).toEqual({});
  await expect(userGroups.createEmbedSession({ providedId: "nobody" })).rejects.toThrow(NotFoundError);
});

describe("verifyEmbedSession with `keySetUrl`", () => {
  /** Serves the service's key set at a path of its own, until the test ends. */
  async function serveKeys(answer: (call: number) => { readonly status?: number; readonly body: unknown }) {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      const { status = 200, body } = answer(calls);
      response.writeHead(status).end(JSON.stringify(body));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    return { keySetUrl: `http://127.0.0.1:${port}/jwks.json`, calls: () => calls };
  }
  const at = (milliseconds: number) =>
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + milliseconds);
  afterEach(() => void vi.restoreAllMocks());

  test("loads the keys once for all sessions, and again after five minutes", async () => {
    const { keySetUrl, calls } = await serveKeys(() => ({ body: keySet }));
    const verify = () => verifyEmbedSession(session.token, { keySetUrl, audience });
    const all = await Promise.all([verify(), verify(), verify()]);
    expect(all.map((verified) => verified.variables)).toEqual([variables, variables, variables]);
    await verify();
    expect(calls()).toBe(1);
    at(301_000);
    await Promise.all([verify(), verify()]);
    expect(calls()).toBe(2);
  });

  test("loads them again for an unknown key, at most every ten seconds", async () => {
    const { keySetUrl, calls } = await serveKeys((call) => ({ body: call === 1 ? { keys: [] } : keySet }));
    const verify = () => verifyEmbedSession(session.token, { keySetUrl, audience });
    await expect(verify()).rejects.toThrow(EmbedSessionVerificationError);
    await expect(verify()).rejects.toThrow(EmbedSessionVerificationError);
    expect(calls()).toBe(1);
    at(11_000);
    expect((await verify()).teamId).toBe(teamId);
    expect(calls()).toBe(2);
  });

  test("says that the keys cannot be loaded, and tries again with the next session", async () => {
    const { keySetUrl } = await serveKeys((call) =>
      call === 1
        ? { status: 503, body: { keys: keySet.keys } }
        : call === 2
          ? { body: [] }
          : { body: keySet },
    );
    const verify = () => verifyEmbedSession(session.token, { keySetUrl, audience });
    for (const attempt of [1, 2]) await expect(verify(), `${attempt}`).rejects.toThrow(ConnectionError);
    expect((await verify()).teamId).toBe(teamId);
  });
});

describe("verifyEmbedSession refuses", () => {
  const parts = () => session.token.split(".");
  const claims = () => JSON.parse(Buffer.from(parts()[1] ?? "", "base64url").toString());
  const header = () => JSON.parse(Buffer.from(parts()[0] ?? "", "base64url").toString());
  const withHeader = (change: object, signature = parts()[2]) =>
    [encodePart({ ...header(), ...change }), parts()[1], signature].join(".");
  const resigned = (change: object, ofHeader = {}) =>
    resign(fixture().service, session.token, { ...change }, ofHeader);

  test.each<[string, () => string | Promise<string>]>([
    ["an empty text", () => ""],
    ["a group's token", () => groupToken],
    ["a fourth part", () => `${session.token}.x`],
    ["alg: none", () => withHeader({ alg: "none" }, "")],
    ["alg: HS256", () => withHeader({ alg: "HS256" })],
    ["an unknown key", () => withHeader({ kid: "unknown" })],
    ["a critical header", () => withHeader({ crit: ["x"] })],
    ["another type", () => resigned({}, { typ: "JWT" })],
    [
      "a changed payload",
      () => [parts()[0], encodePart({ ...claims(), sub: "2000000000" }), parts()[2]].join("."),
    ],
    ["an expired session", () => resigned({ exp: Math.floor(Date.now() / 1000) - 1 })],
    ["another issuer", () => resigned({ iss: "other" })],
    ["another audience", () => resigned({ aud: "other/Customer" })],
    ["no expiry", () => resigned({ exp: undefined })],
  ])("%s", async (_, token) => {
    await expect(verifyEmbedSession(await token(), { keySet, audience })).rejects.toThrow(
      EmbedSessionVerificationError,
    );
  });

  test("a key set without the key, and another environment", async () => {
    const { token } = session;
    for (const wrong of [{ keySet: { keys: [] } }, { audience: audience.replace("Customer", "Testing") }]) {
      await expect(verifyEmbedSession(token, { keySet, audience, ...wrong })).rejects.toThrow(
        EmbedSessionVerificationError,
      );
    }
  });
});
