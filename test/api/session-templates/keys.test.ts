import { randomBytes } from "node:crypto";
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { startTestService } from "../../support/service/test-service.js";
import {
  createTemplateSession,
  PUBLIC_URL,
  saving,
  withKeys,
} from "../../support/session-templates/templates.js";

const OPTIONS = { encryptionKey: randomBytes(32), publicUrl: PUBLIC_URL };
const graphql = await startGraphql(OPTIONS);
const { service, account, keys, strangerKey } = graphql;

async function keysAt(path: string): Promise<JWK[]> {
  const reply = await fetch(`${service.url}${path}`);
  return reply.status === 404 ? [] : JSON.parse(await reply.text()).keys;
}

/** Starts another process of the service, which has cached nothing. */
async function startAnother() {
  const another = await startTestService({ ...OPTIONS, use: service });
  onTestFinished(() => another.close());
  return another;
}

test("neither another account's keys, nor the other environment's, nor those of embed sessions verify a token, whatever its audience", async () => {
  const claims = { sub: "admin", role: "GrafanaAdmin" };
  const tenants = [keys.admin, keys.testing, strangerKey];
  for (const key of tenants) {
    await createUserGroup(graphql, "forged", {}, key);
    expect(await saving(graphql, "createSessionTemplate", key)(withKeys("grafana", claims))).toEqual([]);
  }
  const [stranger] = await service.query("SELECT max(id) AS id FROM account");
  const paths = [
    `/accounts/${account.accountId}/Customer/jwks.json`,
    `/accounts/${account.accountId}/Testing/jwks.json`,
    `/accounts/${stranger.id}/Customer/jwks.json`,
    "/.well-known/jwks.json",
  ];
  const sets = await Promise.all(paths.map(keysAt));
  expect(sets.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  const issuers = new Set();
  for (const [own, key] of tenants.entries()) {
    const { body } = await createTemplateSession(service.url, "grafana", { user_group_id: "forged" }, key);
    // Like a verifier that looks at neither the audience nor the key ID.
    const verify = async ([jwk = {}]: readonly JWK[]) => jwtVerify(body.token, await importJWK(jwk, "ES256"));
    for (const [index, set] of sets.entries())
      if (index !== own)
        await expect(verify(set), paths[index]).rejects.toThrow("signature verification failed");
    issuers.add((await verify(sets[own] ?? [])).payload.iss);
    // And this service does not accept it.
    expect((await graphql.front(body.token, "{ viewer { userGroup { id } } }")).status).toBe(401);
  }
  expect(issuers.size).toBe(3);
});

test("unknown owners of keys are answered like those without keys", async () => {
  for (const path of [
    "999999/Customer",
    `${account.accountId}/Other`,
    "0/Customer",
    "99999999999999999999/Testing",
  ]) {
    const reply = await fetch(`${service.url}/accounts/${path}/jwks.json`);
    expect([path, reply.status]).toEqual([path, path.endsWith("Other") ? 400 : 404]);
  }
});

test("a new key signs after 90 minutes, the former one is published until its last token has expired, and then purged", async () => {
  const tenant = { accountId: account.accountId, environment: "Customer" } as const;
  const path = `/accounts/${account.accountId}/Customer/jwks.json`;
  const shift = async (time: string) =>
    service.query(`UPDATE template_signing_key SET created_at = created_at - interval '${time}',
      signs_from = signs_from - interval '${time}', retired_from = retired_from - interval '${time}'`);
  const kidOn = async ({ url }: { readonly url: string }) => {
    const { body } = await createTemplateSession(url, "cube", { user_group_id: "acme" }, keys.embed);
    return decodeProtectedHeader(body.token).kid;
  };
  const publishedOn = async ({ url }: { readonly url: string }) => {
    const { keys: published } = JSON.parse(await (await fetch(`${url}${path}`)).text());
    return published.map(({ kid }: JWK) => kid);
  };
  await createUserGroup(graphql, "acme");
  expect(await saving(graphql, "createSessionTemplate")(withKeys("cube"))).toEqual([]);
  const first = await kidOn(service);
  const added = await service.services.templateKeys.of(tenant).rotate();
  expect(added.signsFrom.getTime() - added.createdAt.getTime()).toBe(90 * 60_000);
  expect(await publishedOn(service)).toEqual([first, added.id]);
  await shift("89 minutes");
  expect(await kidOn(await startAnother())).toBe(first);
  await shift("1 minute");
  const later = await startAnother();
  expect(await kidOn(later)).toBe(added.id);
  await shift("24 hours 4 minutes");
  expect(await publishedOn(await startAnother())).toEqual([first, added.id]);
  const purged = async () => (await later.services.purgeJob.run())?.get("retired_template_keys");
  expect(await purged()).toBe(0);
  await shift("1 minute");
  expect(await publishedOn(await startAnother())).toEqual([added.id]);
  expect(await purged()).toBe(1);
});
