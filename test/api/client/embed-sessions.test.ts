import { beforeAll, describe, expect, test } from "vitest";
import {
  type EmbedSession,
  EmbedSessionVerificationError,
  type KeySet,
  NotFoundError,
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
    userGroupId: "acme",
    name: "Acme",
  }));
  session = await client.userGroups.createEmbedSession({ userGroupId: "acme", variables, expiresIn: 60 });
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

test("a session is created with the group's token, and not for an unknown group", async () => {
  const { userGroups } = fixture().client;
  const { token } = await userGroups.createEmbedSession({ currentToken: groupToken });
  expect((await verifyEmbedSession(token, { keySet, audience })).variables).toEqual({});
  await expect(userGroups.createEmbedSession({ userGroupId: "nobody" })).rejects.toThrow(NotFoundError);
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
