import { createHmac, createPublicKey } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createSession,
  ENCRYPTION_KEY,
  encodePart,
  readViewer,
  resign,
} from "../../support/embed/sessions.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql({ encryptionKey: ENCRYPTION_KEY });
let token: string;

beforeAll(async () => {
  await createUserGroup(graphql(), "acme");
  ({ token } = await createSession(graphql().service, graphql().keys.admin, { user_group_id: "acme" }));
});

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
  const { body } = await callRest(`${graphql().service.url}/.well-known/jwks.json`, "GET", undefined);
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
  "another type": () => resign(graphql().service, token, {}, { typ: "JWT" }),
  "another issuer": () => resign(graphql().service, token, { iss: "other" }),
  "another audience": () => resign(graphql().service, token, { aud: "other/Customer" }),
  "several audiences": () =>
    resign(graphql().service, token, { aud: [`${graphql().account.name}/Customer`, "other"] }),
  "another environment": () => resign(graphql().service, token, { environment: "Testing" }),
  "another account": () => resign(graphql().service, token, { account_id: graphql().account.accountId + 1 }),
  "an unknown group": () => resign(graphql().service, token, { sub: "2000000000" }),
  "a group that is not a number": () => resign(graphql().service, token, { sub: "acme" }),
  "a later generation": () => resign(graphql().service, token, { generation: 2 }),
  "no expiry": () => resign(graphql().service, token, { exp: undefined }),
  "an expiry in the past": () => resign(graphql().service, token, { iat: now() - 120, exp: now() - 1 }),
  "a start in the future": () => resign(graphql().service, token, { nbf: now() + 60 }),
  "no variables": () => resign(graphql().service, token, { variables: undefined }),
  "a lifetime of more than 24 hours": () =>
    resign(graphql().service, token, { iat: now(), exp: now() + 86_401 }),
  "a creation in the future": () => resign(graphql().service, token, { iat: now() + 120, exp: now() + 180 }),
  "no creation": () => resign(graphql().service, token, { iat: undefined }),
  "an unknown API key": () => resign(graphql().service, token, { api_key_id: 2_000_000_000 }),
  "an API key of another environment": async () => {
    const { id } = await graphql().account.createKey({ environment: "Testing" });
    return resign(graphql().service, token, { api_key_id: id });
  },
};

const refused = {
  status: 401,
  body: {
    errors: [
      {
        message: "The user group token is unknown or was rotated.",
        extensions: { code: "UNAUTHENTICATED" },
      },
    ],
  },
};

test("the session is accepted, also with an unchanged copy of its claims", async () => {
  const { service } = graphql();
  expect((await readViewer(service, token)).status).toBe(200);
  expect((await readViewer(service, await resign(service, token, {}))).status).toBe(200);
});

describe("is refused like an unknown token:", () => {
  test.each(Object.entries(FORGERIES))("a session with %s", async (_, forge) => {
    const { service } = graphql();
    const unknown = await readViewer(service, "ugt_unknown");
    const reply = await readViewer(service, await forge());
    expect(unknown).toMatchObject(refused);
    expect(reply).toMatchObject(refused);
  });

  describe.each(["account_id", "generation", "api_key_id", "iat", "exp"])(
    "a session whose %s is",
    (claim) => {
      test.each([1.5, 1e300, 2 ** 31, 2 ** 53, -1, 0, "1", null])("%s", async (value) => {
        const { service } = graphql();
        expect(await readViewer(service, await resign(service, token, { [claim]: value }))).toMatchObject(
          refused,
        );
      });
    },
  );

  test("a session of a rotated group, at once", async () => {
    const { service, keys } = graphql();
    const group = await createUserGroup(graphql(), "rotated");
    const session = await createSession(service, keys.admin, { user_group_id: "rotated" });
    expect((await readViewer(service, session.token)).status).toBe(200);
    const { body } = await callRest(`${service.url}/api/user`, "POST", keys.admin, {
      current_token: group.token,
    });
    expect(await readViewer(service, session.token)).toMatchObject(refused);
    const next = await createSession(service, keys.admin, { current_token: Object(body).user_group.token });
    expect((await readViewer(service, next.token)).status).toBe(200);
  });

  test("a session of a deleted group, also after a group with the same ID was created", async () => {
    const { service, keys } = graphql();
    const group = await createUserGroup(graphql(), "deleted");
    const session = await createSession(service, keys.admin, { user_group_id: "deleted" });
    await callRest(`${service.url}/api/user`, "DELETE", keys.admin, { current_token: group.token });
    expect(await readViewer(service, session.token)).toMatchObject(refused);
    await createUserGroup(graphql(), "deleted");
    expect(await readViewer(service, session.token)).toMatchObject(refused);
  });
});

test("other changes of the group and its mapping leave its sessions valid", async () => {
  const { service, keys } = graphql();
  await createUserGroup(graphql(), "changed");
  const session = await createSession(service, keys.admin, { user_group_id: "changed" });
  const change = { user_group_id: "changed", name: "New", properties: { a: 1 }, mapping: { s: "sales" } };
  await callRest(`${service.url}/api/user`, "PUT", keys.admin, change);
  expect((await readViewer(service, session.token)).body).toMatchObject({
    data: { viewer: { userGroup: { name: "New" } } },
  });
});

test("REST refuses sessions, which authenticate front ends only", async () => {
  const { service } = graphql();
  for (const authorization of [`Bearer ${token}`, `Token ${token}`]) {
    const reply = await callRest(`${service.url}/api/user`, "GET", undefined, {}, { authorization });
    expect(reply.status).toBe(401);
  }
});
