import { randomBytes } from "node:crypto";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ROLES_VALID_MS } from "../../../src/services/authentication/console-sessions.js";
import { olderSession, startIdentityProvider } from "../../support/programs/identity-provider.js";
import { CookieBrowser } from "../../support/rest/cookie-browser.js";
import { callRest } from "../../support/rest/rest-client.js";
import { soon } from "../../support/service/patience.js";
import { startService } from "../../support/service/test-service.js";

const SESSION = "user_groups_session";
const idp = await startIdentityProvider();
afterAll(() => idp.close());
const identityProvider = idp.options([
  { claim: "groups", value: "platform", account: "demo", scope: "admin" },
]);
const [encryptionKey, nextKey] = [randomBytes(32), randomBytes(32)];
const options = { console: true, identityProvider, encryptionKey };
const service = await startService(options);
const { url, services } = service;
/** Other processes on the same database; one of them has begun a rotation of encryption keys. */
const processes = [
  service,
  await startService({ ...options, use: service }),
  await startService({ ...options, use: service, encryptionKey: nextKey, formerKeys: [encryptionKey] }),
];
idp.serve(url);
await services.accounts.ensure("demo");
beforeEach(() => {
  Object.assign(idp, { visitor: "ada", isDown: false });
  for (const name of ["ada", "eve"]) idp.people.set(name, { groups: ["platform"], name });
});

describe.each([
  ["session", false],
  ["sessions", true],
])("DELETE /console/%s of a person", (path, isEverywhere) => {
  test("refuses all copies of the cookie at once in every process", async () => {
    const [cookie, others, eve] = [await signIn(), await signIn(), await signIn("eve")];
    expect(await statuses(cookie)).toEqual([200, 200, 200]);
    const reply = await call(`/console/${path}`, "DELETE", cookie);
    expect(reply).toMatchObject({ status: 200, body: { sign_out_url: expect.stringContaining(idp.url) } });
    expect(String(reply.headers["set-cookie"])).toMatch(`${SESSION}=; Max-Age=0`);
    expect(await statuses(cookie)).toEqual([401, 401, 401]);
    expect((await call("/console/session", "GET", cookie)).body).toEqual({ environments: [] });
    expect((await call("/console/session/refresh", "POST", cookie)).status).toBe(401);
    const create = `mutation { createApiKey(input: { name: "later", scope: ADMIN }) { secret } }`;
    expect((await graphql(url, cookie, create)).status).toBe(401);
    expect(await statuses(others)).toEqual(isEverywhere ? [401, 401, 401] : [200, 200, 200]);
    expect(await statuses(eve)).toEqual([200, 200, 200]);
    expect(await statuses(await signIn())).toEqual([200, 200, 200]);
    expect(idp.requests).toContain("POST /token/revocation");
  });

  test("ends the open streams of the session in every process, and those of others only with their own", async () => {
    const [cookie, others, eve] = [await signIn(), await signIn(), await signIn("eve")];
    const streams = await Promise.all(
      processes.map(async ({ url: to }) => ({
        own: await follow(to, cookie),
        others: await follow(to, others),
        eve: await follow(to, eve),
      })),
    );
    await call(`/console/${path}`, "DELETE", cookie);
    for (const stream of streams) {
      expect(await soon("The end of a stream", endOf(stream.own))).toBe("cut off");
      if (isEverywhere) expect(await soon("The end of a stream", endOf(stream.others))).toBe("cut off");
    }
    const group = `mutation { createUserGroup(input: { providedId: "${path}", name: "N" }) { userErrors { code } } }`;
    expect((await graphql(url, eve, group)).status).toBe(200);
    for (const stream of streams) {
      const open = isEverywhere ? [stream.eve] : [stream.eve, stream.others];
      for (const each of open) expect(await soon("An event", textOf(each))).toContain("CREATED");
    }
    expect((await follow(url, cookie)).status).toBe(401);
  });

  test("also ends what a refresh at the same time returns", async () => {
    const cookie = await olderRoles(await signIn());
    idp.delayMs = 200;
    const refreshing = call("/console/session/refresh", "POST", cookie);
    await expect.poll(() => idp.requests.at(-1)).toBe("POST /token");
    await call(`/console/${path}`, "DELETE", cookie);
    idp.delayMs = 0;
    const reply = await refreshing;
    const [renewed] = /user_groups_session=[\w.-]+/.exec(String(reply.headers["set-cookie"])) ?? [];
    if (renewed !== undefined) expect(await statuses(renewed)).toEqual([401, 401, 401]);
    // The provider has revoked the refresh token first.
    else expect(reply.status).toBeGreaterThanOrEqual(400);
  });
});

test("sessions in quick succession do not end each other", async () => {
  for (let count = 0; count < 5; count += 1) {
    const cookie = await signIn();
    expect(await statuses(cookie)).toEqual([200, 200, 200]);
    await call("/console/sessions", "DELETE", cookie);
    expect(await statuses(cookie)).toEqual([401, 401, 401]);
  }
  const { consoleSessions } = services;
  const person = { issuer: "i", id: "a", name: "a", roles: [], account: "demo", rolesReadAt: Date.now() };
  for (let count = 0; count < 20; count += 1) {
    const before = { ...person, ...(await consoleSessions.begin()) };
    await consoleSessions.end(before, true);
    const after = { ...person, ...(await consoleSessions.begin()) };
    expect(await isOpen(before)).toBe(false);
    expect(await isOpen(after)).toBe(true);
  }

  async function isOpen(of: typeof person & { sessionId: string; signedInAt: number }) {
    const token = await consoleSessions.encrypt({ keys: {}, person: of });
    return (await consoleSessions.open(token)) !== null;
  }
});

test("a sign-out that cannot be read or recorded is refused, and nobody is admitted", async () => {
  const cookie = await signIn();
  await service.query("ALTER TABLE ended_console_session RENAME TO hidden");
  try {
    for (const status of await statuses(cookie)) expect(status).toBeGreaterThanOrEqual(500);
    const reply = await call("/console/session", "DELETE", cookie);
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(reply.headers["set-cookie"]).toBeUndefined();
  } finally {
    await service.query("ALTER TABLE hidden RENAME TO ended_console_session");
  }
  expect(await statuses(cookie)).toEqual([200, 200, 200]);
});

test("sign-outs are purged once their sessions have expired, and name nobody", async () => {
  await call("/console/sessions", "DELETE", await signIn());
  const rows = await service.query("SELECT row::text AS text FROM ended_console_session AS row");
  expect(rows.length).toBeGreaterThan(0);
  for (const { text } of rows) expect(text).toMatch(/^\("\\\\x[0-9a-f]{64}","[\d:.+ -]+"\)$/);
  const purged = async () => (await services.purgeJob.run())?.get("ended_console_sessions");
  await service.query("UPDATE ended_console_session SET valid_from = now() - interval '23 hours 59 minutes'");
  expect(await purged()).toBe(0);
  await service.query("UPDATE ended_console_session SET valid_from = now() - interval '24 hours 1 minute'");
  expect(await purged()).toBe(rows.length);
});

/** Signs in with a browser of its own. @returns the session's cookie */
async function signIn(visitor = "ada"): Promise<string> {
  idp.visitor = visitor;
  const browser = new CookieBrowser();
  await browser.signIn(url);
  return `${SESSION}=${browser.get(url, SESSION)}`;
}

async function olderRoles(cookie: string): Promise<string> {
  const token = cookie.slice(SESSION.length + 1);
  return `${SESSION}=${await olderSession(services.consoleSessions, token, { rolesMs: ROLES_VALID_MS })}`;
}

async function call(path: string, method: string, cookie: string) {
  const headers = { cookie, "x-console": "Customer" };
  return callRest(url + path, method, undefined, undefined, headers);
}

/** Follows all groups of the environment. */
async function follow(to: string, cookie: string): Promise<Response> {
  const close = new AbortController();
  onTestFinished(() => close.abort());
  return fetch(`${to}/graphql`, {
    method: "POST",
    headers: {
      cookie,
      "x-console": "Customer",
      accept: "text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({ query: "subscription { userGroupChanged { kind } }" }),
    signal: close.signal,
  });
}

/** Reads a stream to its end, which is no `complete`, so that clients connect again. */
async function endOf(stream: Response): Promise<string> {
  return stream.text().catch(() => "cut off");
}

/** Reads a stream until its first event. */
async function textOf({ body }: Response): Promise<string> {
  let text = "";
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes("event: next")) break;
  }
  return text;
}

/** The status of a query in each process. */
async function statuses(cookie: string): Promise<number[]> {
  return Promise.all(
    processes.map(async (each) => (await graphql(each.url, cookie, "{ viewer { scope } }")).status),
  );
}

async function graphql(to: string, cookie: string, query: string) {
  return callRest(`${to}/graphql`, "POST", undefined, { query }, { cookie, "x-console": "Customer" });
}
