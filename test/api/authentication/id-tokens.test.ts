import { exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeEach, expect, test } from "vitest";
import { DomainError } from "../../../src/domain/shared/errors.js";
import { IdentityProvider } from "../../../src/services/authentication/identity-provider.js";
import { startIdentityProvider } from "../../support/programs/identity-provider.js";
import { CookieBrowser } from "../../support/rest/cookie-browser.js";

const SERVICE = "http://127.0.0.1:1";
const idp = await startIdentityProvider();
afterAll(() => idp.close());
beforeEach(() => {
  Object.assign(idp, { publishedKeys: undefined, changeIdToken: undefined });
  idp.visitor = "ada";
  idp.people.set("ada", { groups: ["support"] });
});
const REFUSED = { code: "unauthenticated" };
const UNUSABLE = { code: "unavailable" };

test.each(["RS256", "ES256", "EdDSA"])(
  "an ID token that is signed with %s is accepted",
  async (algorithm) => {
    idp.serve(SERVICE, { algorithm, keys: [await createKey(algorithm, "a")] });
    const provider = createProvider();
    const { refreshToken = "" } = await signIn(provider);
    expect(await provider.refresh("ada", refreshToken)).toMatchObject({ id: "ada" });
  },
);

test("one that is signed with the client's secret is refused", async () => {
  idp.serve(SERVICE, { algorithm: "HS256" });
  await expect(signIn(createProvider())).rejects.toMatchObject(UNUSABLE);
});

test.each([
  ["no algorithm and no signature", "none", (token: string) => token.replace(/[^.]*$/, "")],
  ["no algorithm, but the former signature", "none", (token: string) => token],
  ["an algorithm of another name", "None", (token: string) => token.replace(/[^.]*$/, "")],
])("one with %s is refused, also when roles are read again", async (_case, alg, sign) => {
  idp.serve(SERVICE, { keys: [await createKey("RS256", "a")] });
  const { refreshToken = "" } = await signIn(createProvider());
  idp.changeIdToken = (token) => {
    const header = Buffer.from(JSON.stringify({ alg })).toString("base64url");
    return sign(token).replace(/^[^.]+/, header);
  };
  await expect(signIn(createProvider())).rejects.toBeInstanceOf(DomainError);
  await expect(createProvider().refresh("ada", refreshToken)).rejects.toBeInstanceOf(DomainError);
});

test.each([
  [false, { email: "a@b.c", email_verified: true }, "a@b.c"],
  [false, { email: "a@b.c" }, "ada"],
  [true, { email: "a@b.c", email_verified: true }, null],
  [true, { email: "a@b.c" }, null],
])(
  "a refresh without an ID token, OIDC_TRUST_EMAIL=%s, and UserInfo %j gives the name %s",
  async (trustsEmail, claims, name) => {
    idp.serve(SERVICE, { keys: [await createKey("RS256", "a")] });
    idp.people.set("ada", claims);
    const provider = createProvider(trustsEmail);
    const { refreshToken = "" } = await signIn(provider);
    idp.changeIdToken = () => undefined;
    const refreshed = provider.refresh("ada", refreshToken);
    if (name === null) await expect(refreshed).rejects.toMatchObject(REFUSED);
    else expect(await refreshed).toMatchObject({ name });
  },
);

test.each([
  ["another key of the same ID", "RS256", "a", REFUSED],
  ["an unknown key", "RS256", "b", UNUSABLE],
  ["a key of another algorithm", "ES256", "a", UNUSABLE],
])("one that is signed with %s is refused, also when roles are read again", async (_case, ...other) => {
  const [algorithm, id, refusal] = other;
  idp.serve(SERVICE, { keys: [await createKey("RS256", "a")] });
  const { refreshToken = "" } = await signIn(createProvider());
  idp.publishedKeys = { keys: [publicPart(await createKey(algorithm, id))] };
  await expect(signIn(createProvider())).rejects.toMatchObject(refusal);
  await expect(createProvider().refresh("ada", refreshToken)).rejects.toMatchObject(refusal);
});

test("a new key of the provider is accepted without a restart", async () => {
  const provider = createProvider();
  for (const id of ["a", "b"]) {
    idp.serve(SERVICE, { keys: [await createKey("RS256", id)] });
    // The first sign-in fails, and lets the keys be read again.
    const visit = () =>
      signIn(provider).then(
        (person) => person.id,
        (error: unknown) => Object(error).code,
      );
    await expect.poll(visit, { timeout: 20_000 }).toBe("ada");
  }
});

function createProvider(trustsEmail = false): IdentityProvider {
  const roles = [{ claim: "groups", value: "support", account: "demo", scope: "embed" }] as const;
  return new IdentityProvider({ ...idp.options(roles), trustsEmail });
}

async function signIn(provider: IdentityProvider) {
  const redirectUri = `${SERVICE}/console/sign-in/callback`;
  const { url, pending } = await provider.start(redirectUri, false);
  const place = await new CookieBrowser().open(url.href, redirectUri);
  return provider.finish("192.0.2.1", pending, new URL(place).searchParams);
}

async function createKey(algorithm: string, kid: string) {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: algorithm, use: "sig" };
}

function publicPart({ d, p, q, dp, dq, qi, ...key }: Awaited<ReturnType<typeof createKey>>): object {
  return key;
}
