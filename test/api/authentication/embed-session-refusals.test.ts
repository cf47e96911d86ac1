import { createHmac, createPublicKey } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import {
  createSession,
  ENCRYPTION_KEY,
  encodePart,
  readViewer,
  resign,
} from "../../support/embed/sessions.js";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";

const graphql = await startGraphql({ encryptionKey: ENCRYPTION_KEY, tokenGraceSeconds: 60 });
const { account, keys, rest, service } = graphql;
await createUserGroup(graphql, "acme");
const { token } = await createSession(service, keys.admin, { user_group_id: "acme" });

/** Replaces parts of the session. */
function withParts(replaced: {
  readonly header?: object;
  readonly payload?: object;
  readonly signature?: string;
}) {
  const [header, payload, signature] = token.split(".");
  return [
    replaced.header ? encodePart({ ...decodeProtectedHeader(token), ...replaced.header }) : header,
    replaced.payload ? encodePart({ ...decodeJwt(token), ...replaced.payload }) : payload,
    replaced.signature ?? signature,
  ].join(".");
}

/** Signs the session with HMAC, with the text of the public key as the secret. */
async function signWithPublicKey(format: "pem" | "jwk"): Promise<string> {
  const { body } = await callRest(`${service.url}/.well-known/jwks.json`, "GET", undefined);
  const [jwk] = Object(body).keys;
  const secret =
    format === "jwk"
      ? JSON.stringify(jwk)
      : String(createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" }));
  const [header, payload] = withParts({ header: { alg: "HS256" } }).split(".");
  const signature = createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url");
  return `${header}.${payload}.${signature}`;
}

async function signWithOtherKey(inHeader = false): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const header = { alg: "ES256", kid: decodeProtectedHeader(token).kid ?? "", typ: "embed+jwt" };
  return new SignJWT(decodeJwt(token))
    .setProtectedHeader(inHeader ? { ...header, jwk: await exportJWK(publicKey) } : header)
    .sign(privateKey);
}

const forge = (claims: Readonly<Record<string, unknown>>, header?: object) =>
  resign(service, token, claims, header);
const now = () => Math.floor(Date.now() / 1000);
const FORGERIES: Readonly<Record<string, () => string | Promise<string>>> = {
  "alg: none without a signature": () => withParts({ header: { alg: "none" }, signature: "" }),
  "alg: none with the signature": () => withParts({ header: { alg: "none" } }),
  "alg: HS256 with the public key as PEM": () => signWithPublicKey("pem"),
  "alg: HS256 with the public key as JWK": () => signWithPublicKey("jwk"),
  "alg: ES384": () => withParts({ header: { alg: "ES384" } }),
  "a changed payload": () => withParts({ payload: { generation: 2 } }),
  "a signature of zeros": () => withParts({ signature: Buffer.alloc(64).toString("base64url") }),
  "no signature": () => withParts({ signature: "" }),
  "another key with the same ID": () => signWithOtherKey(),
  "an unknown key ID": () => withParts({ header: { kid: "unknown" } }),
  "no key ID": () => withParts({ header: { kid: undefined } }),
  "another key that its header contains": () => signWithOtherKey(true),
  "another type": () => forge({}, { typ: "JWT" }),
  "another issuer": () => forge({ iss: "other" }),
  "another audience": () => forge({ aud: "other/Customer" }),
  "several audiences": () => forge({ aud: [`${account.name}/Customer`, "other"] }),
  "another environment": () => forge({ environment: "Testing" }),
  "another account": () => forge({ account_id: account.accountId + 1 }),
  "an unknown group": () => forge({ sub: "2000000000" }),
  "a group that is not a number": () => forge({ sub: "acme" }),
  "a later generation": () => forge({ generation: 2 }),
  "no expiry": () => forge({ exp: undefined }),
  "a start in the future": () => forge({ nbf: now() + 60 }),
  "no variables": () => forge({ variables: undefined }),
  "a lifetime of more than 24 hours": () => forge({ iat: now(), exp: now() + 86_401 }),
  "a creation in the future": () => forge({ iat: now() + 120, exp: now() + 180 }),
  "no creation": () => forge({ iat: undefined }),
  "an unknown API key": () => forge({ api_key_id: 2_000_000_000 }),
  "an API key of another environment": async () => {
    const { id } = await account.createKey({ environment: "Testing" });
    return forge({ api_key_id: id });
  },
};

const refusedWith = (message: unknown) => ({
  status: 401,
  body: { errors: [{ message, extensions: { code: "UNAUTHENTICATED" } }] },
});
const ENDED =
  "The embed session has ended: its group was deleted, the token rotated or the API key revoked. Create another one.";
const refused = refusedWith(expect.stringMatching(/^The embed session (?:cannot be verified|has ended): /));
const EXPIRED = "The embed session has expired. Create another one.";

test("the session is accepted, also with an unchanged copy of its claims", async () => {
  expect((await readViewer(service, token)).status).toBe(200);
  expect((await readViewer(service, await resign(service, token, {}))).status).toBe(200);
});

describe("is refused:", () => {
  test.each(Object.entries(FORGERIES))("a session with %s", async (_, forged) => {
    expect(await readViewer(service, await forged())).toMatchObject(refused);
  });

  test.each(["account_id", "generation", "api_key_id", "iat", "exp"])(
    "a session whose %s is no such number",
    async (claim) => {
      for (const value of [1.5, 1e300, 2 ** 31, 2 ** 53, -1, 0, "1", null]) {
        const forged = await forge({ [claim]: value });
        const refusal = claim === "exp" ? refusedWith(expect.any(String)) : refused;
        expect(await readViewer(service, forged), String(value)).toMatchObject(refusal);
      }
    },
  );
});

test("a session that has expired is refused with a message that says so", async () => {
  const expired = await forge({ iat: now() - 120, exp: now() - 1 });
  expect(await readViewer(service, expired)).toMatchObject(refusedWith(EXPIRED));
});

describe("a session and its streams", () => {
  /** A group with a session and a stream of its changes. */
  async function open(providedId: string, claims: Readonly<Record<string, unknown>> = {}) {
    const group = await createUserGroup(graphql, providedId);
    const created = await createSession(service, keys.admin, { user_group_id: providedId });
    const session = await resign(service, created.token, claims);
    expect((await readViewer(service, session)).status).toBe(200);
    const query = "subscription { userGroupChanged { kind userGroup { name } } }";
    const stream = await openGroupStream(service.url, `Bearer ${session}`, query);
    const expectEnd = async (message: string) => {
      expect(await stream.next()).toBeUndefined();
      expect(stream.isComplete()).toBe(false);
      expect(await readViewer(service, session)).toMatchObject(refusedWith(message));
    };
    return { group, session, stream, expectEnd };
  }

  test("get changes of the group and its mapping, and end when its token is rotated, even with a grace period", async () => {
    const { group, session, stream, expectEnd } = await open("rotated");
    const change = { name: "New", properties: { a: 1 }, mapping: { s: "sales" } };
    await rest("PUT", { user_group_id: "rotated", ...change });
    const userGroup = { name: "New" };
    expect(await stream.next()).toEqual({ data: { userGroupChanged: { kind: "UPDATED", userGroup } } });
    expect((await readViewer(service, session)).body).toMatchObject({ data: { viewer: { userGroup } } });
    const { token: next } = userGroupOf(await rest("POST", { current_token: group.token }));
    await expectEnd(ENDED);
    const later = await createSession(service, keys.admin, { current_token: next });
    expect((await readViewer(service, later.token)).status).toBe(200);
  });

  test("end when the group is deleted, also after a group with the same ID was created", async () => {
    const { group, session, stream } = await open("deleted");
    await rest("DELETE", { current_token: group.token });
    expect(await stream.next()).toEqual({ data: { userGroupChanged: { kind: "DELETED", userGroup: null } } });
    expect(await stream.next()).toBeUndefined();
    expect(stream.isComplete()).toBe(true);
    await createUserGroup(graphql, "deleted");
    expect(await readViewer(service, session)).toMatchObject(refusedWith(ENDED));
  });

  test("end when the session expires", async () => {
    const { expectEnd } = await open("expiring", { exp: now() + 3 });
    await expectEnd(EXPIRED);
  });
});
